import { JsonObject } from '../../wire/json.ts';
import { operation } from '../operation.ts';

const tag = 'Reference';

/** The API about itself. */
export const referenceOperations = {
  getOpenApi: operation({
    id: 'getOpenApi',
    method: 'GET',
    path: '/api/v1/openapi.json',
    scope: null,
    tag,
    summary: 'This API as an OpenAPI 3.1 document',
    answers: { 200: JsonObject },
    refusals: [],
  }),
  getReference: operation({
    id: 'getReference',
    method: 'GET',
    path: '/api/v1/reference',
    scope: null,
    tag,
    summary: 'The same for people, as a page',
    gives: 'text/html',
    answers: { 200: null },
    refusals: [],
  }),
};
