import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { BindingConfig, WebhookConfig } from '@rostra/protocol/config/entry-config';
import type { EventAccepted } from '@rostra/protocol/run-api/event-submission';
import { forbiddenKey } from '@rostra/protocol/run-api/run-rules';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { isJsonObject, type Json, type JsonObject } from '@rostra/protocol/wire/json';
import { scanJson } from '@rostra/protocol/wire/json-scan';
import { limits } from '@rostra/protocol/wire/limits';
import type { Principal } from '../session/session-gateway.ts';
import { bindingOf } from './entry-binding.ts';
import { type EntryFile, SYSTEM, systemActor } from './entry-event.ts';
import type { EventGateway } from './event-gateway.ts';

export interface WebhooksOptions {
  readonly gateway: Pick<EventGateway, 'take'>;
  /** Whose sessions deliveries enter; nobody speaks there but the system. */
  readonly owner: Principal;
  /** As they are now. */
  hooks(): readonly WebhookConfig[];
  bindings(): readonly BindingConfig[];
  /** The time of the wall: other machines have no other. */
  now(): number;
}

export interface Delivery {
  readonly signature: string | undefined;
  readonly content_type: string;
  readonly body: Buffer;
}

const SIGNATURE = /^t=(\d{1,12}),v1=([0-9a-f]{64})(?:,v1=([0-9a-f]{64}))?$/;
/** What no configuration has: an unknown hook costs the same as a wrong signature. */
const NOBODY = 'nobody';

/** What a delivery is signed with: HMAC-SHA256 over the time of its sending, a dot and its body. */
export function signatureOf(secret: string, seconds: number, body: string | Uint8Array): string {
  return createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex');
}

/** Signed deliveries of other systems, each an event of its hook's binding. */
export class Webhooks {
  readonly #options: WebhooksOptions;

  constructor(options: WebhooksOptions) {
    this.#options = options;
  }

  /** Null for what is not proved; a delivery that was taken before is refused. */
  async deliver(id: string, delivery: Delivery): Promise<EventAccepted | null> {
    const { gateway, owner, hooks, bindings } = this.#options;
    const hook = hooks().find((each) => each.id === id);
    const seconds = this.#sentAt(hook?.secret ?? NOBODY, delivery);
    if (hook === undefined || seconds === null) return null;
    const { raw, data } = contentOf(delivery);
    const nonce = hash('sha256', Buffer.concat([Buffer.from(`${seconds}.`), delivery.body]), 'hex');
    return gateway.take(
      {
        envelope: {
          event: {
            event_id: `webhook:${id}:${nonce}`,
            event_type: hook.event,
            event_time: seconds,
            source: 'webhook',
            source_event_type: null,
            raw_ref: null,
            data,
          },
          conversation: null,
          actor: systemActor,
          subject: { subject_type: 'webhook', subject_id: id, data: {} },
          input: null,
          delivery: null,
        },
        trigger_source: 'platform',
        adapter: null,
        raw,
        files: [],
      },
      { entry: 'webhook', principal: owner, speaker: SYSTEM },
      () => bindingOf('webhook', hook, bindings()),
    );
  }

  /** When it was sent, if that is signed and near enough. All that is given is compared, whatever the time says. */
  #sentAt(secret: string, { signature = '', body }: Delivery): number | null {
    const found = SIGNATURE.exec(signature);
    const seconds = Number(found?.[1] ?? 0);
    const expected = Buffer.from(signatureOf(secret, seconds, body));
    const isSigned = [found?.[2], found?.[3]].map(
      (given) => given !== undefined && timingSafeEqual(Buffer.from(given), expected),
    );
    const isNear = Math.abs(this.#options.now() - seconds * 1000) <= limits.webhook_tolerance;
    return isSigned.includes(true) && isNear ? seconds : null;
  }
}

/** A JSON object is data; any other JSON stands in it by a name; what is no JSON is kept as it came. */
function contentOf({ body, content_type }: Delivery): { raw: EntryFile | null; data: JsonObject } {
  const mime_type = content_type.split(';')[0]?.trim().toLowerCase() || 'application/octet-stream';
  if (body.length === 0) return { raw: null, data: {} };
  if (mime_type !== 'application/json' && !mime_type.endsWith('+json')) {
    return { raw: { name: 'delivery', mime_type, bytes: body }, data: {} };
  }
  const fault = scanJson(body, { depth: limits.json_depth, nodes: limits.json_nodes });
  const parsed = fault === null ? parse(body) : undefined;
  if (parsed === undefined) {
    throw new ApiError('invalid_argument', 'the delivery is not JSON, or more of it than is read', {
      details: { hint: 'Send well-formed JSON, or another Content-Type: then it is kept as it is.' },
    });
  }
  const data = isJsonObject(parsed) ? parsed : { body: parsed };
  const key = forbiddenKey(data);
  if (key === null) return { raw: null, data };
  throw new ApiError('invalid_argument', `the key ${key} is not allowed`, {
    details: { path: key, hint: 'Leave it out, or send another Content-Type: then the body is kept as it is.' },
  });
}

function parse(body: Buffer): Json | undefined {
  try {
    const value: Json = JSON.parse(body.toString('utf8'));
    return value;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
