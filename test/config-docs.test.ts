import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Configuration } from '../packages/host/src/main/configuration.ts';
import { settings } from '../packages/host/src/main/settings.ts';
import { type ConfigSchema, hostConfigSchema } from '../packages/protocol/src/config/config-schema.ts';
import { HostConfig } from '../packages/protocol/src/config/host-config.ts';
import { configDocsFile, renderConfigDocs } from '../scripts/config-docs.ts';
import { root } from './tidy/repository.ts';

/** Every key, dotted, and what is said of it. */
function keysOf(schema: ConfigSchema, prefix = ''): { key: string; description: string | undefined }[] {
  const { properties = {}, items, additionalProperties, anyOf = [] } = schema;
  const inner = [items, additionalProperties, ...anyOf].flat().filter((each) => typeof each === 'object');
  return [
    ...Object.entries(properties).flatMap(([name, each]) =>
      typeof each === 'boolean'
        ? []
        : [{ key: `${prefix}${name}`, description: each.description }, ...keysOf(each, `${prefix}${name}.`)],
    ),
    ...inner.flatMap((each) => keysOf(each, prefix)),
  ];
}

describe('docs/configuration.md', () => {
  const docs = readFileSync(configDocsFile, 'utf8');

  it('is what the schema says; `npm run docs` writes it anew', () => {
    expect(docs).toBe(renderConfigDocs());
  });

  it('explains every key', () => {
    const keys = keysOf(hostConfigSchema());
    expect(keys.length).toBeGreaterThan(80);
    expect(keys.filter(({ description }) => description === undefined || description === '')).toEqual([]);
    const last = keys.map(({ key }) => key.split('.').at(-1) ?? '');
    expect(last.filter((name) => !docs.includes(`${name}\``) && !docs.includes(`## ${name}`))).toEqual([]);
  });

  it('names every variable and option', () => {
    for (const { variable, flag } of settings) {
      if (variable !== null) expect(docs).toContain(`\`${variable}\``);
      if (flag !== null) expect(docs).toContain(`\`--${flag}\``);
    }
  });
});

describe('rostra.example.yaml', () => {
  const file = path.join(root, 'rostra.example.yaml');
  const read = (config: string) => Configuration.read({ env: {}, flags: { config }, cwd: root });

  it('is valid, has every section, and says what holds anyway', async () => {
    const { config, file: read_ } = await read(file);
    expect(config).toEqual(HostConfig.parse({}));
    const sections = Object.keys(HostConfig.shape);
    const text = readFileSync(file, 'utf8');
    expect(sections.filter((name) => !new RegExp(`^${name}:`, 'm').test(text))).toEqual([]);
    expect(read_?.shown).toBe(file);
  });

  it('is valid with its examples switched on, too', async () => {
    const { readYaml } = await import('../packages/host/src/config/yaml-tree.ts');
    const text = readFileSync(file, 'utf8')
      .replace(/^(runners|bindings|schedules|webhooks): \[\]$/gm, '$1:')
      .replace(/^(agents|models): \{\}$/gm, '$1:')
      .replace(/^ {2}# (?= *(?:- |\w+:))/gm, '  ');
    const { value, torn } = readYaml(text, (each) => ({ value: each }));
    expect(torn).toEqual([]);
    const config = HostConfig.parse(value);
    expect(config.runners).toHaveLength(4);
    expect(Object.keys(config.agents)).toEqual(['support']);
    expect(Object.keys(config.models)).toEqual(['local']);
    const { bindings, schedules, webhooks, auth } = config;
    expect([bindings, schedules, webhooks, auth.keys].map(({ length }) => length)).toEqual([1, 1, 1, 1]);
    expect(config.server.public_url).toBe('https://agents.example');
  });
});
