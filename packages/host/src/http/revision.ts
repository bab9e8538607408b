import { ApiError } from '@rostra/protocol/wire/api-error';

/** Which state a change was made for: a revision, any that there is, or whatever. */
export type ExpectedRevision = number | 'any' | undefined;

export function etag({ revision }: { readonly revision: number | null }): Record<string, string> {
  return revision === null ? {} : { ETag: `"${revision}"` };
}

/** `If-Match: "7"`; any other text is one that the host has not given. */
export function expectedOf(header: string | undefined): ExpectedRevision {
  if (header === undefined) return undefined;
  if (header.trim() === '*') return 'any';
  const revision = /^"(\d{1,15})"$/.exec(header.trim())?.[1];
  if (revision !== undefined) return Number(revision);
  throw new ApiError('invalid_argument', 'If-Match: this is no ETag of this host', {
    details: { in: 'header', path: 'if-match', hint: 'Send back the ETag as it was given, with its quotes.' },
  });
}
