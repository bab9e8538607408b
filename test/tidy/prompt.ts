import ts from 'typescript';
import { type Finding, findNodes, packageOf, type SourceFile } from './repository.ts';

/** The side that passes on what others say. */
const passing = new Set(['packages/protocol', 'packages/kernel', 'packages/transport', 'packages/host']);

const instructions = new Set(['system', 'developer']);
/** How sentences begin that are meant for a model. */
const toModel = /^\s*(?:you are (?:a|an|the)\b|(?:please )?summari[sz]e\b|your task is\b|act as\b)/i;

function literal(node: ts.Node): string | undefined {
  return ts.isStringLiteralLike(node) || ts.isTemplateHead(node) ? node.text : undefined;
}

function prompt(node: ts.Node): string | undefined {
  if (ts.isPropertyAssignment(node) && node.name.getText() === 'role') {
    const role = literal(node.initializer);
    return role !== undefined && instructions.has(role) ? `makes a message of the role ${role}` : undefined;
  }
  const text = literal(node);
  return text !== undefined && toModel.test(text) ? `speaks to a model: ${text.slice(0, 40)}` : undefined;
}

/** How a prompt is put together is the runner's business (RP-1.3). `except` holds files that pass on what an owner wrote. */
export function writtenPrompts(files: readonly SourceFile[], except: ReadonlySet<string>): Finding[] {
  const ours = files.filter(({ path }) => passing.has(packageOf(path) ?? '') && !except.has(path));
  return findNodes(ours, prompt, 'give the parts to the runner, and let it write its own prompt');
}
