import ts from 'typescript';
import { type Finding, findNodes, type SourceFile } from './repository.ts';

const forbidden = new Set([
  'Date.now',
  'Date.parse',
  'Math.random',
  'performance',
  'process',
  'crypto',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'fetch',
  'console',
]);
const SLEEP_MS_MAX = 50;

function effect(node: ts.Node): string | undefined {
  if (ts.isNewExpression(node) && ['Date', 'Promise'].includes(node.expression.getText())) {
    return `new ${node.expression.getText()}`;
  }
  if (ts.isAwaitExpression(node)) return 'await';
  if (node.kind === ts.SyntaxKind.AsyncKeyword) return 'async';
  if (ts.isPropertyAccessExpression(node)) {
    const name = node.getText();
    const object = node.expression.getText();
    return forbidden.has(name) || (ts.isIdentifier(node.expression) && forbidden.has(object)) ? name : undefined;
  }
  if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
    return forbidden.has(node.expression.text) ? node.expression.text : undefined;
  }
  return undefined;
}

/** The kernel decides; time, chance and the world come to it as data. */
export function effects(files: readonly SourceFile[]): Finding[] {
  return findNodes(files, effect, 'take it from the message (`ts`, ids) or leave it to the driver in the host');
}

function milliseconds(node: ts.Expression | undefined): number {
  return node !== undefined && ts.isNumericLiteral(node) ? Number(node.text) : 0;
}

/** The executor of `new Promise((resolve) => setTimeout(resolve, 500))`, or undefined. */
function promiseExecutor(node: ts.Node): ts.ArrowFunction | ts.FunctionExpression | undefined {
  if (!ts.isNewExpression(node) || node.expression.getText() !== 'Promise') return undefined;
  const [executor] = node.arguments ?? [];
  return executor !== undefined && (ts.isArrowFunction(executor) || ts.isFunctionExpression(executor))
    ? executor
    : undefined;
}

function sleep(node: ts.Node): string | undefined {
  if (ts.isAwaitExpression(node) && ts.isCallExpression(node.expression)) {
    const { expression, arguments: args } = node.expression;
    const named = /^(setTimeout|sleep|delay|wait)$/.test(expression.getText());
    return named && milliseconds(args[0]) > SLEEP_MS_MAX ? node.getText() : undefined;
  }
  const executor = promiseExecutor(node);
  const resolve = executor?.parameters[0]?.name.getText();
  if (executor === undefined || resolve === undefined) return undefined;
  const call = /setTimeout\(\s*(\w+)\s*,\s*([\d_]+)\s*\)/.exec(executor.body.getText());
  const slow = call?.[1] === resolve && Number(call[2]?.replaceAll('_', '')) > SLEEP_MS_MAX;
  return slow ? node.getText().slice(0, 60) : undefined;
}

/** A deadline that rejects is fine; a pause that hopes is not. */
export function sleeps(files: readonly SourceFile[]): Finding[] {
  return findNodes(files, sleep, 'inject the clock, or wait for the event itself');
}
