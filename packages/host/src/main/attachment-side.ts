import { Attachments } from '../attachments/attachments.ts';
import { newId } from '../new-id.ts';
import type { HttpGround } from './http-ground.ts';

/** Files that people send along; `address` is where the host listens, once it does. */
export function attachmentSide(
  { store, clock, key, settings }: Pick<HttpGround, 'store' | 'clock' | 'key' | 'settings'>,
  address: () => string,
): Attachments {
  return new Attachments({
    artifacts: store.artifacts,
    clock,
    newId,
    secret: key,
    public_url: settings.public_url,
    address,
    sessions: store,
  });
}
