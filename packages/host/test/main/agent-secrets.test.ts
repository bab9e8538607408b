import { describe, expect, it } from 'vitest';
import { withoutSecrets, withSecretsOf } from '../../src/main/agent-secrets.ts';

const agent = {
  runner: 'r',
  config: {
    api_key: 'k',
    url: 'u',
    servers: [
      { name: 'a', token: 't1' },
      { name: 'b', token: 't2' },
    ],
  },
};

describe('an agent that is sent back as it was shown', () => {
  it('keeps its secrets, also those in lists', () => {
    const shown = withoutSecrets(agent);
    expect(JSON.stringify(shown)).not.toMatch(/"k"|t1|t2/);
    expect(withSecretsOf(agent, shown)).toEqual(agent);
  });

  it('is refused where nobody knows which secret is meant, and nothing takes the place of one', () => {
    const shorter = { ...agent, config: { servers: [{ name: 'b', token: '(secret)' }] } };
    expect(() => withSecretsOf(agent, shorter)).toThrow('config: (secret) stands for a secret that is not kept here');
    expect(() => withSecretsOf({}, withoutSecrets(agent))).toThrow('is not kept here');
  });
});
