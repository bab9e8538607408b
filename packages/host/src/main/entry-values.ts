import type { ConfigPath } from '@rostra/protocol/config/config-problem';
import type { HostConfig } from '@rostra/protocol/config/host-config';
import { messageReceived } from '@rostra/protocol/session/event-name';
import { isMadeKey } from '../access/key-ring.ts';
import { pathText, type ValueFault } from '../config/config-error.ts';
import { isCron, isTimezone } from '../entries/cron-time.ts';
import { isLoopback } from '../http/boundary.ts';
import { isAccessKey, KEY_RULE } from './settings.ts';

const NAME = /^[A-Za-z0-9][\w.-]*$/;
const PATTERN = /^[^*]*\*?$/;
const SECRET_CHARS_MIN = 16;

type Entry = HostConfig['schedules'][number] | HostConfig['webhooks'][number];

class Faults {
  readonly found: ValueFault[] = [];

  unless(isRight: boolean, path: ConfigPath, must: string): void {
    if (!isRight) this.found.push({ path, sentence: `${pathText(path)} ${must}.` });
  }

  /** Names are used in ids of sessions and runs: plain, and each once. */
  names(section: ConfigPath, key: string, names: readonly string[]): void {
    for (const [index, name] of names.entries()) {
      const path = [...section, index, key];
      this.unless(NAME.test(name), path, 'must be made of letters, digits, ".", "_" and "-"');
      this.unless(names.indexOf(name) === index, path, 'is the name of another entry');
    }
  }
}

function checkKeys(faults: Faults, { api_key, keys }: HostConfig['auth']): void {
  faults.names(
    ['auth', 'keys'],
    'name',
    keys.map(({ name }) => name),
  );
  const texts = keys.map(({ key }) => key);
  for (const [index, key] of texts.entries()) {
    const path = ['auth', 'keys', index, 'key'];
    faults.unless(isAccessKey(key), path, KEY_RULE);
    faults.unless(!isMadeKey(key), path, 'must not be a key that a host has made');
    faults.unless(texts.indexOf(key) === index && key !== api_key, path, 'is somebody else’s key');
  }
}

/** Where the keys of tokens come from must itself be beyond doubt. */
function checkTokens(faults: Faults, { jwt }: HostConfig['auth']): void {
  if (jwt === null) return;
  const { jwks_url, jwks_file } = jwt;
  const at = ['auth', 'jwt'];
  faults.unless(
    (jwks_url === undefined) !== (jwks_file === undefined),
    at,
    'must have either a jwks_url or a jwks_file',
  );
  if (jwks_url === undefined) return;
  const { protocol, hostname } = new URL(jwks_url);
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
  faults.unless(isSafe, [...at, 'jwks_url'], 'must be https, unless it is of this machine');
}

/** Exactly one of the two says who answers; what a binding grants stands in the binding. */
function checkAnswerer(faults: Faults, at: ConfigPath, entry: Entry, { bindings }: HostConfig): void {
  const { agent, binding, grants } = entry;
  faults.unless((agent === undefined) !== (binding === undefined), at, 'must have either an agent or a binding');
  if (binding === undefined) return;
  const isThere = bindings.some(({ id }) => id === binding);
  faults.unless(isThere, [...at, 'binding'], 'must be the id of one of the bindings');
  faults.unless(grants === undefined, [...at, 'grants'], 'must be left out: the binding says what is granted');
}

function checkSchedules(faults: Faults, config: HostConfig): void {
  for (const [index, schedule] of config.schedules.entries()) {
    const at = ['schedules', index];
    checkAnswerer(faults, at, schedule, config);
    const how = 'must be five fields that come true, like "0 9 * * 1-5"';
    faults.unless(isCron(schedule.cron, Date.now()), [...at, 'cron'], how);
    faults.unless(isTimezone(schedule.timezone), [...at, 'timezone'], 'must be a time zone, like Europe/Berlin');
  }
}

/** An entry that anybody could use because its secret is blank must not come up (fail closed). */
function checkWebhooks(faults: Faults, config: HostConfig): void {
  for (const [index, webhook] of config.webhooks.entries()) {
    const at = ['webhooks', index];
    checkAnswerer(faults, at, webhook, config);
    const isSecret = webhook.secret.trim().length >= SECRET_CHARS_MIN;
    faults.unless(isSecret, [...at, 'secret'], `must have at least ${SECRET_CHARS_MIN} characters that are no blanks`);
    faults.unless(webhook.event !== messageReceived, [...at, 'event'], 'must be another one: nobody said anything');
  }
}

/** What is wrong with keys, bindings, schedules and webhooks although their types are right. */
export function checkEntries(config: HostConfig): ValueFault[] {
  const faults = new Faults();
  checkKeys(faults, config.auth);
  checkTokens(faults, config.auth);
  for (const section of ['bindings', 'schedules', 'webhooks'] as const) {
    faults.names(
      [section],
      'id',
      config[section].map(({ id }) => id),
    );
  }
  for (const [index, { events }] of config.bindings.entries()) {
    const isRight = events.every((pattern) => PATTERN.test(pattern));
    faults.unless(isRight, ['bindings', index, 'events'], 'may have a star only at the end of a name');
  }
  checkSchedules(faults, config);
  checkWebhooks(faults, config);
  return faults.found;
}
