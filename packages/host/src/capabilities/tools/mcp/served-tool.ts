import { createHash } from 'node:crypto';
import type { Tool } from '@modelcontextprotocol/client';
import { canonicalJson } from '@rostra/protocol/wire/canonical-json';
import { isJsonObject, type JsonObject } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import { cutText } from './foreign-words.ts';

/** A tool as its server describes it. */
export interface ServedTool {
  /** As the server calls it. */
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
  /** Of everything that says what it is: another description is another tool. */
  readonly hash: string;
}

export interface ServedTools {
  readonly tools: readonly ServedTool[];
  /** One sentence about those that were left out. */
  readonly problem: string | null;
}

/** Control characters and what shows text in another order than it is written. */
const treacherous = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/u;

/** What can be offered of a server's list; nothing that it says is followed or compiled. */
export function servedTools(listed: readonly Tool[]): ServedTools {
  const tools = new Map<string, ServedTool>();
  const left: string[] = [];
  for (const tool of listed) {
    if (tools.size >= limits.tool_server_tools) left.push('there are too many');
    else if (!isName(tool.name)) left.push('its name is no name');
    else if (tools.has(tool.name)) left.push(`there are two of the name ${tool.name}`);
    else {
      const served = servedTool(tool);
      if (served === null) left.push(`the schema of ${tool.name} is too large`);
      else tools.set(tool.name, served);
    }
  }
  return { tools: [...tools.values()], problem: leftOut(left) };
}

function isName(name: string): boolean {
  return name.length > 0 && name.length <= limits.tool_name_chars && !treacherous.test(name);
}

function servedTool({
  name,
  title,
  description = '',
  inputSchema,
  outputSchema,
  annotations,
}: Tool): ServedTool | null {
  const parameters: unknown = inputSchema;
  if (!isJsonObject(parameters)) return null;
  if (Buffer.byteLength(JSON.stringify(parameters)) > limits.tool_schema_bytes) return null;
  const whole = canonicalJson({ name, title, description, inputSchema, outputSchema, annotations });
  return {
    name,
    description: cutText(description, limits.tool_description_chars),
    parameters,
    hash: createHash('sha256').update(whole).digest('hex'),
  };
}

function leftOut(left: readonly string[]): string | null {
  const [first] = left;
  if (first === undefined) return null;
  return left.length === 1 ? `One tool is left out: ${first}.` : `${left.length} tools are left out: first, ${first}.`;
}
