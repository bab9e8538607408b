import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Attachment } from '@rostra/protocol/run-api/attachment';
import { attachmentOperations } from '@rostra/protocol/run-api/operations/attachments';
import type { Attachments } from '../../attachments/attachments.ts';
import { byteRange } from '../../attachments/byte-range.ts';
import type { FilePart } from '../../attachments/multipart.ts';
import type { Clock } from '../../session/clock.ts';
import type { Principal } from '../../session/session-gateway.ts';
import type { ArtifactRow } from '../../store/ports/artifact.ts';
import { type ApiRoute, route } from '../api-route.ts';
import { Downloads } from '../downloads.ts';
import { HttpError } from '../errors.ts';
import { takeFile } from '../file-upload.ts';
import { originOf } from '../request-origin.ts';

export interface AttachmentDeps {
  readonly attachments: Attachments;
  readonly clock: Clock;
  /** The largest file. */
  artifact_bytes(): number;
}

interface ReadDeps extends AttachmentDeps {
  readonly downloads: Downloads;
}

function upload(deps: AttachmentDeps, principal: Principal, req: IncomingMessage): Promise<Attachment> {
  const { attachments, clock } = deps;
  const keep = (part: FilePart) => attachments.upload(principal, part, originOf(req));
  return takeFile(req, { clock, bytes: deps.artifact_bytes() }, keep);
}

/** What a browser does with the bytes: it saves them, and runs nothing of them. */
function headersOf({ mime_type, name, sha256 }: ArtifactRow): Record<string, string> {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  return {
    'Content-Type': mime_type,
    'Content-Disposition': `attachment; filename="${plain}"; filename*=UTF-8''${encodeName(name)}`,
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'private, max-age=900, immutable',
    // What an <img> has left in the cache of a page elsewhere is not what it may read: that it asks for anew.
    Vary: 'Origin',
    'Accept-Ranges': 'bytes',
    ETag: `"${sha256}"`,
  };
}

function encodeName(name: string): string {
  const hex = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(name).replace(/['()*]/g, hex);
}

/** A range holds only for the bytes that the client has a part of (RFC 9110). */
function rangeOf({ headers }: IncomingMessage, { size_bytes, sha256 }: ArtifactRow) {
  const condition = headers['if-range'];
  const holds = condition === undefined || condition === `"${sha256}"`;
  return byteRange(holds ? headers.range : undefined, size_bytes);
}

async function read(deps: ReadDeps, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const method = req.method === 'HEAD' ? 'HEAD' : 'GET';
  const origin = originOf(req);
  const url = URL.canParse(req.url ?? '', origin) ? new URL(req.url ?? '', origin) : null;
  const row = url === null ? null : await deps.attachments.open(url, method, origin);
  if (row === null) {
    throw new HttpError(403, 'unauthorized', 'this address is not signed, or not any more', {
      details: { hint: 'Ask for a fresh one: POST /api/v1/agent/attachments/{id}/url.' },
    });
  }
  const { size_bytes } = row;
  const headers = headersOf(row);
  if (req.headers['if-none-match'] === headers.ETag) {
    res.writeHead(304, headers).end();
    return;
  }
  // Of what has no body there are no parts (RFC 9110).
  const range = method === 'HEAD' ? 'all' : rangeOf(req, row);
  if (range === 'unsatisfiable') {
    throw new HttpError(416, 'invalid_argument', 'the file ends before this range', {
      details: { size: size_bytes },
      headers: { 'Content-Range': `bytes */${size_bytes}` },
    });
  }
  const [first, last] = range === 'all' ? [0, size_bytes - 1] : [range.first, range.last];
  const part = range === 'all' ? {} : { 'Content-Range': `bytes ${first}-${last}/${size_bytes}` };
  const head = { ...headers, ...part, 'Content-Length': last - first + 1 };
  const status = range === 'all' ? 200 : 206;
  if (method === 'HEAD') {
    res.writeHead(status, head).end();
    return;
  }
  const leave = deps.downloads.admit();
  try {
    res.writeHead(status, head);
    await deps.downloads.send(res, { first, last }, (offset, bytes) =>
      deps.attachments.read(row.artifact_id, offset, bytes),
    );
  } finally {
    leave();
  }
}

/** Files of messages: uploaded with a credential, read by a signed url alone, so that a page can show them (RA-9.11). */
export function attachmentRoutes(deps: AttachmentDeps): ApiRoute[] {
  const { attachments } = deps;
  const downloads = new Downloads(deps.clock);
  return [
    route(attachmentOperations.uploadAttachment, async ({ principal, req }) => ({
      status: 201,
      body: await upload(deps, principal, req),
    })),
    route(attachmentOperations.signAttachment, async ({ principal, params, req }) => {
      const found = await attachments.find(principal, params.id, originOf(req));
      if (found === null) throw new HttpError(404, 'not_found', 'there is no such attachment');
      return { status: 200, body: found };
    }),
    route(attachmentOperations.readAttachment, async ({ req, res }) => {
      await read({ ...deps, downloads }, req, res);
      return 'answered';
    }),
  ];
}
