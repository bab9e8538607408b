import type { z } from 'zod';
import { ApiError } from '../wire/api-error.ts';
import type { JsonObject } from '../wire/json.ts';
import { limits } from '../wire/limits.ts';
import { RunAgentInput, type Tool } from './run-agent-input.ts';

/** The sentence of each rule of section 4, word for word; the size is measured before the body is parsed. */
export const RunRule = {
  payload: 'RunAgentInput payload exceeds size limit',
  threadId: 'threadId must be a valid UUID',
  runId: 'runId exceeds length limit',
  messages: 'RunAgentInput.messages exceeds limit',
  userText: 'RunAgentInput user message text exceeds limit',
  oneUser: 'RunAgentInput.messages must contain exactly one user message',
  userFirst: 'RunAgentInput.messages[0].role must be user',
  imageOnly: 'binary content requires image mimeType',
  url: 'binary content requires url',
  noData: 'binary content data is not allowed',
} as const;

export type Checked<T> = { ok: true; input: T } | { ok: false; error: ApiError };
export type RunCheck = Checked<RunAgentInput>;

export type Fields = Readonly<Record<string, unknown>>;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const IMAGE = /^image\/[\w.+-]+$/i;
/** Pictures that are programs. */
const SVG = /^image\/svg/i;
const CONTROL = /\p{Cc}/u;
const forbiddenKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

function hasFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

/** A value that was read from JSON as the fields that it has. */
export function fieldsOf(value: unknown): Fields {
  return hasFields(value) ? value : {};
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Whether a text has more than `max` code points, without walking further than needed. */
function longerThan(text: string, max: number): boolean {
  return text.length > max && codePoints(text) > max;
}

function codePoints(text: string): number {
  let pairs = 0;
  for (let i = 1; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    const before = text.charCodeAt(i - 1);
    if (unit >= 0xdc00 && unit <= 0xdfff && before >= 0xd800 && before <= 0xdbff) pairs += 1;
  }
  return text.length - pairs;
}

function textOf(block: Fields): string {
  return block.type === 'text' && typeof block.text === 'string' ? block.text : '';
}

/** RA-4.14: the text of a user message is the sum of its blocks. */
function isLongUser({ content }: Fields): boolean {
  if (typeof content === 'string') return longerThan(content, limits.run_user_text_chars);
  const length = listOf(content).reduce<number>((sum, block) => sum + codePoints(textOf(fieldsOf(block))), 0);
  return length > limits.run_user_text_chars;
}

/** Whether the names of a run are such. */
export function brokenName({ threadId, runId }: Fields): string | null {
  if (typeof threadId !== 'string' || !UUID.test(threadId)) return RunRule.threadId;
  const isLong = typeof runId === 'string' && longerThan(runId, limits.run_id_chars);
  return runId === '' || isLong ? RunRule.runId : null;
}

/** The first broken rule in the order of the contract (RA-4.11), or null. Looks at what is there, of whatever type. */
function brokenRule(body: Fields): string | null {
  const name = brokenName(body);
  if (name !== null) return name;
  const messages = listOf(body.messages);
  if (messages.length > limits.run_messages) return RunRule.messages;
  let users = 0;
  for (const message of messages) {
    const fields = fieldsOf(message);
    if (fields.role !== 'user') continue;
    users += 1;
    if (isLongUser(fields)) return RunRule.userText;
  }
  if (users !== 1) return RunRule.oneUser;
  const { role, content } = fieldsOf(messages[0]);
  if (role !== 'user') return RunRule.userFirst;
  return typeof content === 'string' ? null : brokenBlock(listOf(content).map(fieldsOf));
}

function brokenBlock(blocks: readonly Fields[]): string | null {
  const binaries = blocks.filter(({ type }) => type === 'binary');
  const isImage = ({ mimeType }: Fields) => typeof mimeType === 'string' && IMAGE.test(mimeType);
  if (!binaries.every(isImage)) return RunRule.imageOnly;
  if (!binaries.every(({ url }) => typeof url === 'string' && url !== '')) return RunRule.url;
  if (binaries.some((block) => 'data' in block)) return RunRule.noData;
  return null;
}

/** The path of a key that would reach a prototype when something merges it carelessly, or null. */
export function forbiddenKey(body: Fields): string | null {
  return hasForbiddenKey(body) ? forbiddenPath(body) : null;
}

/** Every body of a run passes here, and next to none of them has one: no path is made on the way. */
function hasForbiddenKey(body: Fields): boolean {
  const open: Fields[] = [body];
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    for (const key of Object.keys(item)) {
      if (forbiddenKeys.has(key)) return true;
      const value = item[key];
      if (hasFields(value)) open.push(value);
    }
  }
  return false;
}

function forbiddenPath(body: Fields): string | null {
  const open: { path: string; value: object }[] = [{ path: '', value: body }];
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    for (const [key, value] of Object.entries(item.value)) {
      const path = joinPath(item.path, Array.isArray(item.value) ? Number(key) : key);
      if (forbiddenKeys.has(key)) return path;
      if (typeof value === 'object' && value !== null) open.push({ path, value });
    }
  }
  return null;
}

function joinPath(path: string, key: PropertyKey): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  return path === '' ? String(key) : `${path}.${String(key)}`;
}

interface Fault {
  path: PropertyKey[];
  message: string;
}

/** Of a union's branches the one that got furthest says best what is wrong. */
function deepest(issue: z.core.$ZodIssue, above: PropertyKey[]): Fault {
  const path = [...above, ...issue.path];
  const branches = issue.code === 'invalid_union' ? issue.errors : [];
  const faults = branches.flatMap(([first]) => (first === undefined ? [] : [deepest(first, path)]));
  const [best] = faults.sort((a, b) => b.path.length - a.path.length);
  return best ?? { path, message: issue.message };
}

export function refused(message: string, details: JsonObject = {}): { ok: false; error: ApiError } {
  return { ok: false, error: new ApiError('invalid_argument', message, { details }) };
}

/** What the types say is wrong, by its path. */
export function wrongType(error: z.ZodError): { ok: false; error: ApiError } {
  const [issue] = error.issues;
  if (issue === undefined) throw new Error('a failed check without an issue');
  const { path, message } = deepest(issue, []);
  const name = path.reduce<string>(joinPath, '') || 'RunAgentInput';
  return refused(`${name}: ${message}`, { path: name });
}

/** What the types cannot say of a run's name and of the agent that `forwardedProps` names. */
export function brokenValue({ runId, forwardedProps }: Fields): { ok: false; error: ApiError } | null {
  if (typeof runId === 'string' && CONTROL.test(runId)) {
    return refused('runId must not contain control characters', { path: 'runId' });
  }
  const { agentId } = fieldsOf(forwardedProps);
  const named = typeof agentId === 'string' && agentId !== '' && !longerThan(agentId, limits.agent_id_chars);
  if (agentId !== undefined && !named) {
    const path = 'forwardedProps.agentId';
    return refused(`${path} must be a string of 1 to ${limits.agent_id_chars} characters`, { path });
  }
  return null;
}

/** A schema is handed on as it is, never resolved: what it refers to must stand in it. */
function leadsAway(schema: object): boolean {
  const open: object[] = [schema];
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    for (const [key, value] of Object.entries(item)) {
      const isReference = key === '$ref' || key === '$dynamicRef';
      if (isReference && typeof value === 'string' && !value.startsWith('#')) return true;
      if (typeof value === 'object' && value !== null) open.push(value);
    }
  }
  return false;
}

function brokenTool(tools: readonly Tool[]): { ok: false; error: ApiError } | null {
  if (tools.length === 0) return null;
  const names = new Set<string>();
  for (const [index, { name, parameters }] of tools.entries()) {
    const path = `tools[${index}]`;
    if (name === '' || longerThan(name, limits.tool_name_chars) || CONTROL.test(name)) {
      return refused(`${path}.name must have 1 to ${limits.tool_name_chars} characters and no control characters`, {
        path: `${path}.name`,
      });
    }
    if (names.has(name)) return refused(`${path}.name is the name of two tools`, { path: `${path}.name` });
    names.add(name);
    if (leadsAway(parameters)) {
      return refused(`${path}.parameters refers to a schema elsewhere`, { path: `${path}.parameters` });
    }
  }
  return null;
}

function checkValues(input: RunAgentInput): RunCheck {
  const [user] = input.messages;
  const blocks = user?.role === 'user' && typeof user.content !== 'string' ? user.content : [];
  const svg = blocks.findIndex((block) => block.type === 'binary' && SVG.test(block.mimeType));
  if (svg >= 0) {
    const path = `messages[0].content[${svg}].mimeType`;
    return refused('binary content of type image/svg+xml is not allowed', { path });
  }
  return brokenValue(input) ?? brokenTool(input.tools ?? []) ?? { ok: true, input };
}

/** The answer to a binary block whose url this host did not sign for its caller, whatever is wrong with it (RA-2.4). */
export function foreignUrl(path: string): ApiError {
  return new ApiError('invalid_argument', 'binary content url is not one of this host', {
    details: { path, hint: 'Upload the file with POST /api/v1/agent/attachments and send the url of its answer.' },
  });
}

/** The rules of a run that was made of what is checked already: its types and its keys are as they should be. */
export function checkRunRules(input: RunAgentInput): RunCheck {
  const sentence = brokenRule(input);
  return sentence === null ? checkValues(input) : refused(sentence);
}

/** Decides whether a parsed body is a run: the rules in their order, then types (RA-4). Whose a url is, the host finds. */
export function checkRunAgentInput(body: unknown): RunCheck {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return refused('the body must be a RunAgentInput object', { hint: 'See docs/spec/run-api.md, section 1.' });
  }
  const fields = fieldsOf(body);
  const sentence = brokenRule(fields);
  if (sentence !== null) return refused(sentence);
  const key = forbiddenKey(fields);
  if (key !== null) return refused(`the key ${key} is not allowed`, { path: key });
  const parsed = RunAgentInput.safeParse(fields);
  return parsed.success ? checkValues(parsed.data) : wrongType(parsed.error);
}
