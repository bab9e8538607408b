import type {
  KnowledgeBaseItem,
  KnowledgeBasePatch,
  KnowledgeDocument,
  KnowledgeMatch,
  KnowledgeSearch,
  NewKnowledgeBase,
} from '@rostra/protocol/run-api/knowledge-api';
import { knowledgeOperations as operations } from '@rostra/protocol/run-api/operations/knowledge';
import { JsonObject } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import type { Clock } from '../../session/clock.ts';
import type { Principal } from '../../session/session-gateway.ts';
import { type ApiRoute, route } from '../api-route.ts';
import { HttpError } from '../errors.ts';
import { takeFile } from '../file-upload.ts';

interface SentDocument {
  readonly filename: string;
  readonly content_type: string | null;
  readonly content: AsyncIterable<Uint8Array>;
  readonly metadata: JsonObject;
}

interface DocumentPage {
  readonly items: KnowledgeDocument[];
  readonly nextCursor: string | null;
}

/** Knowledge bases as HTTP manages them. A refusal is an ApiError. */
export interface KnowledgeDesk {
  list(by: Principal): Promise<KnowledgeBaseItem[]>;
  get(by: Principal, kb_id: string): Promise<KnowledgeBaseItem>;
  create(by: Principal, base: NewKnowledgeBase): Promise<KnowledgeBaseItem>;
  change(by: Principal, kb_id: string, patch: KnowledgeBasePatch): Promise<KnowledgeBaseItem>;
  remove(by: Principal, kb_id: string): Promise<void>;
  add(by: Principal, kb_id: string, file: SentDocument): Promise<KnowledgeDocument>;
  documents(by: Principal, kb_id: string, page: { cursor?: string; limit?: number }): Promise<DocumentPage>;
  document(by: Principal, kb_id: string, document_id: string): Promise<KnowledgeDocument>;
  removeDocument(by: Principal, kb_id: string, document_id: string): Promise<void>;
  reindex(by: Principal, kb_id: string): Promise<KnowledgeBaseItem>;
  search(by: Principal, kb_id: string, search: KnowledgeSearch, signal: AbortSignal): Promise<KnowledgeMatch[]>;
}

export interface KnowledgeDeps {
  readonly knowledge: KnowledgeDesk;
  readonly clock: Clock;
  /** The largest file. */
  artifact_bytes(): number;
  /** Writes down what an administrator did. */
  acted(by: Principal, action: string, resource: string, details?: JsonObject): void;
}

function badMetadata(): HttpError {
  return new HttpError(422, 'invalid_argument', 'metadata: is no JSON object of strings, numbers and booleans', {
    details: {
      in: 'query',
      path: 'metadata',
      hint: `Send at most ${limits.document_metadata_keys} values, like {"year":2026}.`,
    },
  });
}

function metadataOf(text: string | undefined): JsonObject {
  if (text === undefined) return {};
  if (Buffer.byteLength(text) > limits.document_metadata_bytes) throw badMetadata();
  const { data } = JsonObject.safeParse(parsed(text));
  const values = Object.values(data ?? {});
  const isPlain = values.every((value) => ['string', 'number', 'boolean'].includes(typeof value));
  if (data === undefined || !isPlain || values.length > limits.document_metadata_keys) throw badMetadata();
  return data;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Who leaves does not wait for an answer. */
function untilGone(res: { once(event: 'close', listener: () => void): unknown }): AbortSignal {
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  return gone.signal;
}

function baseRoutes({ knowledge, acted }: KnowledgeDeps): ApiRoute[] {
  return [
    route(operations.listKnowledgeBases, async ({ principal }) => ({
      status: 200,
      body: { items: await knowledge.list(principal), nextCursor: null },
    })),
    route(operations.createKnowledgeBase, async ({ principal, body }) => {
      const made = await knowledge.create(principal, body);
      acted(principal, 'knowledge.create', made.id);
      return { status: 201, body: made, headers: { Location: `/api/v1/knowledge/${made.id}` } };
    }),
    route(operations.getKnowledgeBase, async ({ principal, params }) => ({
      status: 200,
      body: await knowledge.get(principal, params.kbId),
    })),
    route(operations.changeKnowledgeBase, async ({ principal, params, body }) => {
      const changed = await knowledge.change(principal, params.kbId, body);
      acted(principal, 'knowledge.change', params.kbId);
      return { status: 200, body: changed };
    }),
    route(operations.deleteKnowledgeBase, async ({ principal, params }) => {
      await knowledge.remove(principal, params.kbId);
      acted(principal, 'knowledge.delete', params.kbId);
      return { status: 204, body: null };
    }),
    route(operations.reindexKnowledgeBase, async ({ principal, params }) => {
      const base = await knowledge.reindex(principal, params.kbId);
      acted(principal, 'knowledge.reindex', params.kbId);
      return { status: 202, body: base };
    }),
    route(operations.searchKnowledge, async ({ principal, params, body, res }) => ({
      status: 200,
      body: { items: await knowledge.search(principal, params.kbId, body, untilGone(res)) },
    })),
  ];
}

function documentRoutes({ knowledge, clock, artifact_bytes, acted }: KnowledgeDeps): ApiRoute[] {
  return [
    route(operations.listDocuments, async ({ principal, params, query: { cursor, limit } }) => {
      const page = { ...(cursor !== undefined && { cursor }), ...(limit !== undefined && { limit }) };
      return { status: 200, body: await knowledge.documents(principal, params.kbId, page) };
    }),
    route(operations.addDocument, async ({ principal, params: { kbId }, query, req }) => {
      const added = await takeFile(req, { clock, bytes: artifact_bytes() }, ({ headers, content }) => {
        const { filename, content_type } = headers;
        const metadata = metadataOf(query.metadata);
        return knowledge.add(principal, kbId, { filename: filename ?? '', content_type, content, metadata });
      });
      acted(principal, 'knowledge.add', kbId, { document_id: added.id, sha256: added.sha256 });
      const location = `/api/v1/knowledge/${kbId}/documents/${added.id}`;
      return { status: 202, body: added, headers: { Location: location } };
    }),
    route(operations.getDocument, async ({ principal, params }) => ({
      status: 200,
      body: await knowledge.document(principal, params.kbId, params.documentId),
    })),
    route(operations.deleteDocument, async ({ principal, params: { kbId, documentId } }) => {
      await knowledge.removeDocument(principal, kbId, documentId);
      acted(principal, 'knowledge.remove', kbId, { document_id: documentId });
      return { status: 204, body: null };
    }),
  ];
}

/** What agents can look up, as whoever runs the host manages it. */
export function knowledgeRoutes(deps: KnowledgeDeps): ApiRoute[] {
  return [...baseRoutes(deps), ...documentRoutes(deps)];
}
