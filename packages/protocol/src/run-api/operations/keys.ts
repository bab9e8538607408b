import { KeyItem, LoginLink, MadeKey, Me, NewKey } from '../key.ts';
import { operation, PageQuery, pageOf } from '../operation.ts';

const tag = 'Access';

/** Who may use the host. */
export const keyOperations = {
  getMe: operation({
    id: 'getMe',
    method: 'GET',
    path: '/api/v1/me',
    scope: 'any',
    tag,
    summary: 'Who asks, and what they may',
    answers: { 200: Me },
    refusals: [],
  }),
  listKeys: operation({
    id: 'listKeys',
    method: 'GET',
    path: '/api/v1/keys',
    scope: 'admin',
    tag,
    summary: 'All keys but the owner’s, without what is secret of them',
    query: PageQuery,
    answers: { 200: pageOf(KeyItem) },
    refusals: [422],
  }),
  createKey: operation({
    id: 'createKey',
    method: 'POST',
    path: '/api/v1/keys',
    scope: 'admin',
    tag,
    summary: 'Makes a key',
    description: 'The answer is the only place where the key itself is shown.',
    body: NewKey,
    answers: { 201: MadeKey },
    refusals: [409, 413, 415, 422],
  }),
  revokeKey: operation({
    id: 'revokeKey',
    method: 'DELETE',
    path: '/api/v1/keys/{keyId}',
    scope: 'admin',
    tag,
    summary: 'Revokes a key',
    description: 'From the next request on it is not valid, and its open streams end.',
    answers: { 204: null },
    refusals: [404, 422],
  }),
  createLoginLink: operation({
    id: 'createLoginLink',
    method: 'POST',
    path: '/api/v1/login-links',
    scope: 'any',
    tag,
    summary: 'Makes a link that logs a browser in as the caller',
    description: 'It can be used once, within 15 minutes. Only a key can make one.',
    answers: { 201: LoginLink },
    refusals: [422],
  }),
  logout: operation({
    id: 'logout',
    method: 'POST',
    path: '/api/v1/logout',
    scope: 'any',
    tag,
    summary: 'Logs the browser out',
    answers: { 204: null },
    refusals: [],
  }),
};
