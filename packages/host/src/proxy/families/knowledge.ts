import type { KnowledgeApi } from '@rostra/protocol/api/knowledge';
import type { Retriever } from '../../capabilities/knowledge/knowledge-base.ts';
import type { KnowledgeShelf } from '../../capabilities/knowledge/knowledge-shelf.ts';
import type { ApiFamily } from '../api-family.ts';

export interface KnowledgeFamilyOptions {
  readonly shelf: Pick<KnowledgeShelf, 'find'>;
  readonly retriever: Retriever;
}

/** RP-7.13: the knowledge bases that a run was granted, and what answers a question in one of them. */
export function knowledgeFamily({ shelf, retriever }: KnowledgeFamilyOptions): ApiFamily<keyof typeof KnowledgeApi> {
  return {
    'knowledge.list': {
      asks: () => ({ family: 'knowledge_bases', operation: 'list', kb_id: null }),
      async serve(_, { charter: { grant } }) {
        const granted = grant.resources.knowledge_bases.filter(({ operations }) => operations.includes('list'));
        return {
          knowledge_bases: granted.flatMap(({ kb_id }) => {
            const base = shelf.find(kb_id);
            return base === null ? [] : [{ kb_id, name: base.name, description: base.description }];
          }),
        };
      },
    },
    'knowledge.retrieve': {
      asks: ({ kb_id }) => ({ family: 'knowledge_bases', operation: 'retrieve', kb_id }),
      async serve(query, { signal }) {
        const found = await retriever.retrieve(query, signal);
        return {
          results: found.map(({ chunk_id, content, score, source, metadata }) => {
            return { entry_id: chunk_id, content, score, source, metadata };
          }),
        };
      },
    },
  };
}
