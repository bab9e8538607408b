import { RostraClient } from '@rostra/client';

/** The host that served this page; a cookie says who asks. */
export const client = new RostraClient();
