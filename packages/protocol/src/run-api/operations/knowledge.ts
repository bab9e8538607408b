import { z } from 'zod';
import {
  KnowledgeBaseItem,
  KnowledgeBasePatch,
  KnowledgeDocument,
  KnowledgeMatch,
  KnowledgeSearch,
  NewKnowledgeBase,
} from '../knowledge-api.ts';
import { operation, PageQuery, pageOf } from '../operation.ts';

const tag = 'Knowledge';
const scope = 'admin';

/** What agents can look up. */
export const knowledgeOperations = {
  listKnowledgeBases: operation({
    id: 'listKnowledgeBases',
    method: 'GET',
    path: '/api/v1/knowledge',
    scope,
    tag,
    summary: 'Knowledge bases',
    answers: { 200: pageOf(KnowledgeBaseItem) },
    refusals: [],
  }),
  createKnowledgeBase: operation({
    id: 'createKnowledgeBase',
    method: 'POST',
    path: '/api/v1/knowledge',
    scope,
    tag,
    summary: 'Makes a knowledge base',
    body: NewKnowledgeBase,
    answers: { 201: KnowledgeBaseItem },
    refusals: [409, 413, 415, 422],
  }),
  getKnowledgeBase: operation({
    id: 'getKnowledgeBase',
    method: 'GET',
    path: '/api/v1/knowledge/{kbId}',
    scope,
    tag,
    summary: 'One knowledge base',
    answers: { 200: KnowledgeBaseItem },
    refusals: [404],
  }),
  changeKnowledgeBase: operation({
    id: 'changeKnowledgeBase',
    method: 'PATCH',
    path: '/api/v1/knowledge/{kbId}',
    scope,
    tag,
    summary: 'Changes the name or the description of a knowledge base',
    body: KnowledgeBasePatch,
    answers: { 200: KnowledgeBaseItem },
    refusals: [404, 413, 415, 422],
  }),
  deleteKnowledgeBase: operation({
    id: 'deleteKnowledgeBase',
    method: 'DELETE',
    path: '/api/v1/knowledge/{kbId}',
    scope,
    tag,
    summary: 'Deletes a knowledge base with all its documents',
    answers: { 204: null },
    refusals: [404],
  }),
  listDocuments: operation({
    id: 'listDocuments',
    method: 'GET',
    path: '/api/v1/knowledge/{kbId}/documents',
    scope,
    tag,
    summary: 'Documents of a knowledge base, the newest first',
    query: PageQuery,
    answers: { 200: pageOf(KnowledgeDocument) },
    refusals: [404, 422],
  }),
  addDocument: operation({
    id: 'addDocument',
    method: 'POST',
    path: '/api/v1/knowledge/{kbId}/documents',
    scope,
    tag,
    summary: 'Adds a document',
    description:
      'One file in one part of a multipart body: text, Markdown, HTML, PDF or DOCX, by its bytes. The answer comes as soon as the file is kept; `status`, `done` and `total` of the document say how far it is indexed.',
    query: z.object({
      metadata: z
        .string()
        .max(4096)
        .optional()
        .describe('A JSON object of strings, numbers and booleans by which searches can be narrowed.'),
    }),
    takes: 'multipart/form-data',
    answers: { 202: KnowledgeDocument },
    refusals: [404, 413, 415, 422],
  }),
  getDocument: operation({
    id: 'getDocument',
    method: 'GET',
    path: '/api/v1/knowledge/{kbId}/documents/{documentId}',
    scope,
    tag,
    summary: 'One document, and how far it is indexed',
    answers: { 200: KnowledgeDocument },
    refusals: [404],
  }),
  deleteDocument: operation({
    id: 'deleteDocument',
    method: 'DELETE',
    path: '/api/v1/knowledge/{kbId}/documents/{documentId}',
    scope,
    tag,
    summary: 'Deletes a document',
    answers: { 204: null },
    refusals: [404],
  }),
  reindexKnowledgeBase: operation({
    id: 'reindexKnowledgeBase',
    method: 'POST',
    path: '/api/v1/knowledge/{kbId}/reindex',
    scope,
    tag,
    summary: 'Reads all documents of a knowledge base anew',
    description:
      'With the model that `knowledge.embedding` names now. Until each document is read, it is found as it was before.',
    answers: { 202: KnowledgeBaseItem },
    refusals: [404],
  }),
  searchKnowledge: operation({
    id: 'searchKnowledge',
    method: 'POST',
    path: '/api/v1/knowledge/{kbId}/search',
    scope,
    tag,
    summary: 'Searches a knowledge base as agents do',
    body: KnowledgeSearch,
    answers: { 200: z.object({ items: z.array(KnowledgeMatch) }) },
    refusals: [404, 413, 415, 422, 504],
  }),
};
