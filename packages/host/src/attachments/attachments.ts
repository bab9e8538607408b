import { hash } from 'node:crypto';
import { artifactName } from '@rostra/kernel/artifact/artifact-name';
import type { Attachment, SignedMethod } from '@rostra/protocol/run-api/attachment';
import { attachmentOperations } from '@rostra/protocol/run-api/operations/attachments';
import type { ArtifactRef } from '@rostra/protocol/session/input';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import { StoreReason } from '@rostra/protocol/wire/reason';
import type { Clock } from '../session/clock.ts';
import type { Principal } from '../session/session-gateway.ts';
import type { SessionStore } from '../store/port.ts';
import type { ArtifactRow, ArtifactStore } from '../store/ports/artifact.ts';
import { toApiError } from '../store/refused.ts';
import type { FilePart } from './multipart.ts';
import { lookAt } from './upload-content.ts';
import { readSigned, type SignedText, UrlSigner } from './url-signer.ts';

export interface AttachmentsOptions {
  readonly artifacts: Pick<ArtifactStore, 'create' | 'get' | 'read' | 'claim' | 'unclaimed'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly newId: () => string;
  /** The host's own secret, of which a key for nothing else is made. */
  readonly secret: string;
  /** ROSTRA_PUBLIC_URL: where all urls lead, whatever address they are asked at. */
  readonly public_url: string | null;
  /** Where this host listens, for urls that no request asks for. */
  address(): string;
  readonly sessions: Pick<SessionStore, 'readHead'>;
}

const PATH = attachmentOperations.uploadAttachment.path;
const OBJECT = /^[\w-]{1,128}$/;

function keyOf({ workspace_id, user_id }: Principal): string {
  return JSON.stringify([workspace_id, user_id]);
}

/** A url as it is written in a message; null for what is no url, or one with more to it than ours have. */
function parsed(url: string): URL | null {
  if (url.length > limits.ui_url_chars || !URL.canParse(url)) return null;
  const read = new URL(url);
  return read.username === '' && read.password === '' && read.hash === '' && read.href === url ? read : null;
}

/**
 * What users send along with their messages.
 *
 * A1. Nothing is kept of an upload whose bytes are not what they are said to be, or whose request was not whole.
 * A2. An upload is its user's alone until a message of theirs names it; then it is its session's.
 * A3. A url is good for one user, one file, one method and a short time. Nobody fetches a url of anybody else's.
 */
export class Attachments {
  readonly #options: AttachmentsOptions;
  readonly #signer: UrlSigner;
  readonly #underWay = new Map<string, number>();

  constructor(options: AttachmentsOptions) {
    this.#options = options;
    this.#signer = new UrlSigner(options.secret);
  }

  async upload(principal: Principal, part: FilePart, origin?: string): Promise<Attachment> {
    const user = keyOf(principal);
    const open = this.#underWay.get(user) ?? 0;
    if (open >= limits.user_uploads) throw tooMany('You have as many uploads under way as you may.');
    this.#underWay.set(user, open + 1);
    try {
      const row = await this.#keep(principal, part);
      return this.#described(principal, row, origin);
    } finally {
      const left = (this.#underWay.get(user) ?? 1) - 1;
      if (left === 0) this.#underWay.delete(user);
      else this.#underWay.set(user, left);
    }
  }

  async #keep({ workspace_id, user_id }: Principal, { headers, content }: FilePart): Promise<ArtifactRow> {
    const { artifacts, clock, newId } = this.#options;
    if ((await artifacts.unclaimed(workspace_id, user_id)) > limits.user_unclaimed_bytes) {
      throw tooMany('You have uploaded more than you have sent.');
    }
    const name = artifactName(headers.filename ?? '');
    const looked = await lookAt(content, { content_type: headers.content_type, filename: name });
    const now = clock.now();
    const nowhere = { session_id: null, bot_id: null, thread_id: null, run_id: null, agent_id: null };
    const expires_at = now + limits.attachment_unclaimed;
    const about = { name, mime_type: looked.mime_type, created_at: now, expires_at, metadata: {} };
    return artifacts.create({ artifact_id: newId(), workspace_id, user_id, ...nowhere, ...about }, looked.content);
  }

  /**
   * A url of a file for one reader; `origin` is where they asked. With a `session_id` it is good only if the file lies in
   * that session: what names it there is an agent's word. Without, the reader was found to be allowed to read it.
   */
  sign(
    { workspace_id, user_id }: Principal,
    artifact_id: string,
    method: SignedMethod = 'GET',
    origin?: string,
    session_id: string | null = null,
  ): { url: string; expiresAt: string } {
    const { clock, public_url, address } = this.#options;
    const base = public_url === null ? (origin ?? address()) : new URL(public_url).origin;
    const expires_at = Math.floor((clock.now() + limits.attachment_url) / 1000);
    const reader = this.#signer.readerOf(workspace_id, user_id);
    const whose = { workspace_id, session_id, reader };
    const search = this.#signer.sign({ origin: base, object: artifact_id, method, expires_at, ...whose });
    const expiresAt = new Date(expires_at * 1000).toISOString();
    return { url: `${base}${PATH}/${artifact_id}?${search}`, expiresAt };
  }

  /** A fresh url of a file that the principal may read; null for any other. */
  async find(principal: Principal, artifact_id: string, origin?: string): Promise<Attachment | null> {
    const { artifacts, clock } = this.#options;
    const row = OBJECT.test(artifact_id) ? await artifacts.get(artifact_id, clock.now()) : null;
    if (row === null || !(await this.#mayRead(principal, row))) return null;
    return this.#described(principal, row, origin);
  }

  async #mayRead(principal: Principal, { workspace_id, session_id, user_id }: ArtifactRow): Promise<boolean> {
    if (workspace_id !== principal.workspace_id) return false;
    if (session_id === null) return user_id !== null && user_id === principal.user_id;
    return (await this.#ownership(principal, session_id)) === 'own';
  }

  /** What lies in a session that was deleted is gone with the session, though it may take a while to be removed. */
  async #isGone({ session_id }: ArtifactRow): Promise<boolean> {
    return session_id !== null && (await this.#options.sessions.readHead(session_id).catch(ifGone)) === 'gone';
  }

  async #ownership(principal: Principal, session_id: string): Promise<'own' | 'foreign' | 'new'> {
    const head = await this.#options.sessions.readHead(session_id).catch(ifGone);
    if (head === null) return 'new';
    if (head === 'gone' || head.workspace_id !== principal.workspace_id) return 'foreign';
    return principal.is_admin === true || head.owner_id === principal.user_id ? 'own' : 'foreign';
  }

  #described(principal: Principal, row: ArtifactRow, origin: string | undefined): Attachment {
    const { artifact_id: id, mime_type: mimeType, size_bytes: size, name: filename } = row;
    return { id, ...this.sign(principal, id, 'GET', origin), mimeType, size, filename };
  }

  /** The file that a signed url leads to; null for whatever is wrong with it, all alike. */
  open(url: URL, method: SignedMethod, origin: string): Promise<ArtifactRow | null> {
    const { public_url } = this.#options;
    return this.#find(url, method, public_url === null ? origin : new URL(public_url).origin, null);
  }

  /** The file of a url that this host has signed for this very caller; null for whatever is wrong; nothing is fetched. */
  async check(principal: Principal, url: string): Promise<ArtifactRow | null> {
    const read = parsed(url);
    return read === null ? null : this.#find(read, 'GET', read.origin, principal);
  }

  async #find(
    url: URL,
    method: SignedMethod,
    origin: string,
    principal: Principal | null,
  ): Promise<ArtifactRow | null> {
    const { artifacts, clock } = this.#options;
    const text = readSigned(url.search);
    const object = url.pathname.startsWith(`${PATH}/`) ? url.pathname.slice(PATH.length + 1) : '';
    if (text === null || !OBJECT.test(object)) return null;
    const row = await artifacts.get(object, clock.now());
    if (row === null || !this.#isGood(text, row, method, origin) || (await this.#isGone(row))) return null;
    if (principal === null) return row;
    const { workspace_id, user_id } = principal;
    return text.reader === this.#signer.readerOf(workspace_id, user_id) ? row : null;
  }

  #isGood(text: SignedText, row: ArtifactRow, method: SignedMethod, origin: string): boolean {
    const { artifact_id: object, workspace_id } = row;
    const { expires_at, reader } = text;
    if (expires_at * 1000 <= this.#options.clock.now()) return false;
    // A url for GET is good for its headers alone, too.
    const methods: SignedMethod[] = method === 'HEAD' ? ['GET', 'HEAD'] : ['GET'];
    const places = row.session_id === null ? [null] : [null, row.session_id];
    return methods.some((each) =>
      places.some((session_id) =>
        this.#signer.isGood(text, { origin, object, method: each, expires_at, workspace_id, session_id, reader }),
      ),
    );
  }

  /** The file that a message of a session names by its url (RA-8.3): it is the session's from then on. Null as `check`. */
  async resolve(principal: Principal, url: string, session_id: string): Promise<ArtifactRef | null> {
    const row = await this.check(principal, url);
    if (row === null) return null;
    // What an agent made is read where it was made; a message elsewhere takes nothing along.
    if (row.user_id === null) return row.session_id === session_id ? refOf(row) : null;
    // A session of somebody else refuses the message, and gets nothing of it.
    if ((await this.#ownership(principal, session_id)) === 'foreign') return refOf(row);
    const claimed = await this.#claim(row, session_id);
    return claimed === null ? null : refOf(claimed);
  }

  #claim({ artifact_id }: ArtifactRow, session_id: string): Promise<ArtifactRow | null> {
    const { artifacts, clock } = this.#options;
    const copy_id = hash('sha256', JSON.stringify(['attachment', artifact_id, session_id]), 'hex').slice(0, 32);
    return artifacts.claim({ artifact_id, session_id, copy_id, now: clock.now() });
  }

  read(artifact_id: string, offset: number, length: number): Promise<Uint8Array | null> {
    const { artifacts, clock } = this.#options;
    return artifacts.read(artifact_id, { offset, length }, clock.now());
  }
}

function ifGone(error: unknown): 'gone' {
  if (error instanceof ApiError && error.details.reason === StoreReason.enum.SESSION_GONE) return 'gone';
  throw error;
}

function refOf({ artifact_id, name, mime_type, size_bytes, sha256 }: ArtifactRow): ArtifactRef {
  return { artifact_id, name, mime_type, size_bytes, sha256 };
}

function tooMany(message: string): ApiError {
  const hint = 'Send what you have uploaded, or try again later.';
  return toApiError({ code: 'rate_limited', reason: 'TOO_MANY_UPLOADS', message, retryable: true, hint });
}
