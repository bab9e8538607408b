import { randomBytes } from 'node:crypto';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { describe, expect, it } from 'vitest';
import { type SealedFor, type SealedSecrets, SecretBox, type SecretKeySource } from '../../src/config/secret-box.ts';

const CANARY = 'sk-canary-0123456789-abcdef';
const place: SealedFor = ['model', 'openai/x', 'openai https://api.example/v1'];

function keyed(key: Uint8Array | null = randomBytes(32)): SecretKeySource {
  return {
    where: 'secret.key',
    read: () => key,
    ensure: () => key ?? new Uint8Array(32),
  };
}

function refusal(act: () => unknown): ApiError {
  try {
    act();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('it was opened');
}

function flipped(text: string, at: number): string {
  const bytes = Buffer.from(text, 'base64url');
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes.toString('base64url');
}

describe('a secret box', () => {
  const box = new SecretBox(keyed());
  const sealed = box.seal({ api_key: CANARY, headers: { 'X-Team': 'ü' } }, place);

  it('gives back what was sealed, and shows nothing of it', () => {
    expect(box.open(sealed, place)).toEqual({ api_key: CANARY, headers: { 'X-Team': 'ü' } });
    const shown = JSON.stringify(sealed) + Buffer.from(sealed.text, 'base64url').toString('latin1');
    expect(shown).not.toContain(CANARY);
    expect(shown).not.toContain('api_key');
  });

  it('never seals the same twice alike', () => {
    const boxes = Array.from({ length: 200 }, () => box.seal({ api_key: CANARY }, place));
    expect(new Set(boxes.map(({ nonce }) => nonce)).size).toBe(200);
    expect(new Set(boxes.map(({ text }) => text)).size).toBe(200);
    expect(boxes.every(({ nonce }) => Buffer.from(nonce, 'base64url').length === 12)).toBe(true);
  });

  it('opens nothing of which a single bit was altered', () => {
    const bytes = Buffer.from(sealed.text, 'base64url').length;
    const altered: SealedSecrets[] = [
      ...Array.from({ length: bytes }, (_, at) => ({ ...sealed, text: flipped(sealed.text, at) })),
      ...Array.from({ length: 12 }, (_, at) => ({ ...sealed, nonce: flipped(sealed.nonce, at) })),
      { ...sealed, text: '' },
      { ...sealed, text: sealed.text.slice(0, -4) },
      { ...sealed, nonce: '' },
    ];
    for (const each of altered) {
      const { message, details } = refusal(() => box.open(each, place));
      expect(details.reason).toBe('SECRETS_LOCKED');
      expect(message).toContain('it was altered');
      expect(message).not.toContain(CANARY);
    }
  });

  it.each<[string, SealedFor]>([
    ['another id', ['model', 'openai/y', 'openai https://api.example/v1']],
    ['another kind', ['tool_server', 'openai/x', 'openai https://api.example/v1']],
    ['another address', ['model', 'openai/x', 'openai https://elsewhere.example/v1']],
    ['parts that read the same in one line', ['model', 'openai/x openai https://api.example/v1', '']],
  ])('opens nothing that was moved to %s', (_, moved) => {
    expect(refusal(() => box.open(sealed, moved)).details.reason).toBe('SECRETS_LOCKED');
  });

  it('says that the key is another one, or missing, and where it belongs', () => {
    const other = refusal(() => new SecretBox(keyed()).open(sealed, place));
    expect(other.message).toBe(
      'What is kept secret for the model openai/x cannot be read: secret.key is not the key that sealed it.',
    );
    expect(other.details).toMatchObject({ reason: 'SECRETS_LOCKED', hint: expect.stringContaining('secret.key') });
    const none = refusal(() => new SecretBox(keyed(null)).open(sealed, place));
    expect(none.message).toContain('is missing from secret.key');
  });
});
