import { ApiError } from '@rostra/protocol/wire/api-error';

/** What a part of a multipart body says of itself. */
export interface PartHeaders {
  readonly name: string;
  /** Null: a field of a form, and no file. */
  readonly filename: string | null;
  readonly content_type: string | null;
}

const parameter = /;\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/g;

export function malformed(why: string): ApiError {
  return new ApiError('invalid_argument', `the body is not multipart/form-data: ${why}`, {
    details: { hint: 'Send one file, as `curl -F file=@picture.png` does.' },
  });
}

/** Browsers write `%22`, others a backslash before a quote. */
function unquoted(text: string): string {
  return text.replace(/\\(["\\])/g, '$1').replace(/%22/g, '"');
}

/** `UTF-8''na%C3%AFve.png` */
function extended(text: string): string | null {
  const [, encoded] = /^utf-8'[^']*'(.*)$/i.exec(text) ?? [];
  if (encoded === undefined) return null;
  try {
    return decodeURIComponent(encoded);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

function parametersOf(value: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [, name = '', quoted, plain = ''] of value.matchAll(parameter)) {
    if (!found.has(name.toLowerCase())) found.set(name.toLowerCase(), quoted === undefined ? plain : unquoted(quoted));
  }
  return found;
}

/** The lines before a part's content, without the empty one. */
export function partHeaders(block: Buffer): PartHeaders {
  const headers = new Map<string, string>();
  for (const line of block.toString('utf8').split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon < 1) throw malformed('a part has a header without a name');
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  const disposition = headers.get('content-disposition') ?? '';
  if (!/^form-data\s*(?:;|$)/i.test(disposition)) throw malformed('a part has no Content-Disposition: form-data');
  const encoding = headers.get('content-transfer-encoding')?.toLowerCase() ?? 'binary';
  if (!['binary', '8bit', '7bit'].includes(encoding)) throw malformed('a part is encoded');
  const parameters = parametersOf(disposition);
  const wide = parameters.get('filename*');
  return {
    name: parameters.get('name') ?? '',
    filename: (wide === undefined ? null : extended(wide)) ?? parameters.get('filename') ?? null,
    content_type: headers.get('content-type') ?? null,
  };
}
