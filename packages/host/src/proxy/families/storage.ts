import { type Call, notFound } from '@rostra/kernel/grant/check-call';
import { storageKeyFault } from '@rostra/kernel/storage/storage-key';
import type { StorageApi } from '@rostra/protocol/api/storage';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import type { ActiveRun } from '../../orchestrator/run-charter.ts';
import type { StorageKey, StorageStore } from '../../store/ports/storage.ts';
import { toApiError } from '../../store/refused.ts';
import type { ApiFamily } from '../api-family.ts';
import { pieceBytes } from '../piece-bytes.ts';
import type { Uploads } from '../uploads.ts';

export interface StorageOptions {
  readonly storage: Pick<StorageStore, 'read' | 'set' | 'delete' | 'list'>;
  readonly uploads: Uploads;
  readonly clock: { now(): number };
}

type Area = 'plugin' | 'workspace' | 'binding';

function asks({ area }: { area: Area }): Call {
  return { family: 'storage', area };
}

/** RP-7.24: bytes under a key of the area that the call names; whose area it is follows from the run. */
export function storageFamily({ storage, uploads, clock }: StorageOptions): ApiFamily<keyof typeof StorageApi> {
  return {
    'storage.get': {
      asks,
      async serve({ area, key, offset, length }, run) {
        const piece = await storage.read(keyOf(run, area, key), { offset, length });
        if (piece === null) throw noSuchObject();
        const { object, bytes } = piece;
        const content_base64 = Buffer.from(bytes).toString('base64');
        const has_more = offset + bytes.byteLength < object.size_bytes;
        return { offset, content_base64, size_bytes: object.size_bytes, has_more };
      },
    },
    'storage.set': {
      asks,
      async serve({ area, key, value_base64, upload_id }, run) {
        if ((value_base64 === undefined) === (upload_id === undefined)) {
          throw new ApiError('invalid_argument', 'An object has either its value or an upload.');
        }
        const place = keyOf(run, area, key);
        const about = { at: clock.now() };
        if (upload_id === undefined) await storage.set(place, pieceBytes(value_base64 ?? ''), about);
        else await uploads.use(run, 'storage', upload_id, (content) => storage.set(place, content.pieces(), about));
        return { success: true };
      },
    },
    'storage.write': {
      asks: () => ({ family: 'storage', area: null }),
      async serve({ upload_id, offset, content_base64 }, run) {
        const bytes = pieceBytes(content_base64);
        return { upload_id, size_bytes: await uploads.write(run, 'storage', { upload_id, offset, bytes }) };
      },
    },
    'storage.delete': {
      asks,
      async serve({ area, key }, run) {
        await storage.delete(keyOf(run, area, key));
        return { success: true };
      },
    },
    'storage.list': {
      asks,
      async serve({ area, prefix, after }, run) {
        const { key: checked, ...place } = keyOf(run, area, prefix ?? '');
        const page = { prefix: checked, limit: limits.page_items + 1, ...(after !== null && { after }) };
        const keys = (await storage.list(place, page)).map(({ key }) => key);
        return { keys: keys.slice(0, limits.page_items), has_more: keys.length > limits.page_items };
      },
    },
  };
}

/** An area of a package is that package's own in this workspace, one of a binding that agent's with that runner. */
function ownerOf({ charter: { grant, package_name } }: ActiveRun, area: Area): string {
  const { workspace_id } = grant.scope;
  if (area === 'plugin') return JSON.stringify([workspace_id, package_name]);
  return area === 'workspace' ? workspace_id : JSON.stringify([workspace_id, grant.agent_id, grant.runner_id]);
}

function keyOf(run: ActiveRun, area: Area, key: string): StorageKey {
  const fault = storageKeyFault(key);
  if (fault !== null)
    throw toApiError({ code: 'invalid_argument', reason: 'BAD_KEY', message: fault, retryable: false });
  return { scope: area, owner: ownerOf(run, area), key };
}

function noSuchObject(): ApiError {
  const { code, message } = notFound('object');
  return new ApiError(code, message);
}
