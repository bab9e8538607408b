/** Where frontends open a websocket for any number of sessions (RA-10.7). */
export const SOCKET_PATH = '/api/v1/socket';
