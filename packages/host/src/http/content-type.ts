import type { IncomingMessage } from 'node:http';
import { HttpError } from './errors.ts';

export function checkContentType({ headers }: IncomingMessage): void {
  // What nearly every client sends.
  if (headers['content-type'] === 'application/json' && headers['content-encoding'] === undefined) return;
  const [type = '', ...parameters] = (headers['content-type'] ?? '')
    .split(';')
    .map((part) => part.trim().toLowerCase());
  const encoding = headers['content-encoding'] ?? 'identity';
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.replace(/"/g, '');
  const inUtf8 = charset === undefined || charset === 'charset=utf-8';
  if (type === 'application/json' && inUtf8 && encoding === 'identity') return;
  throw new HttpError(415, 'invalid_argument', 'the body must be application/json in UTF-8, not compressed', {
    details: { hint: 'Send the header Content-Type: application/json.' },
  });
}
