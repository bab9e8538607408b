/** What a request must carry that is proved by a cookie and changes something: no page of another site can add it. */
export const REQUEST_HEADER = 'X-Rostra-Request';
