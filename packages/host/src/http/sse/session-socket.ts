import { forbiddenKey } from '@rostra/protocol/run-api/run-rules';
import type { SessionFormat } from '@rostra/protocol/run-api/session-event';
import { SocketCommand } from '@rostra/protocol/run-api/socket';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { isJsonObject, type JsonObject } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import { schemaFault } from '@rostra/protocol/wire/schema-fault';
import type { RawData, WebSocket } from 'ws';
import type { Clock } from '../../session/clock.ts';
import type { Principal } from '../../session/session-gateway.ts';
import { sessionIdOf } from '../../session/session-id.ts';
import { toAnswer } from '../errors.ts';
import { parseJson } from '../json-body.ts';
import { readableSession, type SessionReader } from '../routes/session-events.ts';
import { parseCursor } from './cursor.ts';
import { SocketFollower } from './socket-follower.ts';
import type { StreamHub } from './stream-hub.ts';

export interface SocketDeps {
  hub: StreamHub;
  gateway: SessionReader;
  clock: Clock;
  /** What `POST /api/v1/sessions/{sessionId}/messages` does, and answers. */
  send(session_id: string, message: JsonObject, principal: Principal): Promise<JsonObject>;
  report(failure: unknown): void;
}

/** Who has opened a websocket, for what it becomes. */
export interface SocketOwner {
  closed(): void;
  /** Learns of every command that was refused, and of which session it was if it named one. */
  refused(failure: unknown, session_id: string | undefined): void;
}

type CommandOf<T extends SocketCommand['type']> = Extract<SocketCommand, { type: T }>;

/** The close codes of websockets that are used here. */
const CLOSE = { going_away: 1001, unsupported: 1003, violation: 1008 };

function subscriptionKey(session_id: string, format: SessionFormat): string {
  return `${session_id} ${format}`;
}

/** One websocket of a frontend: any number of sessions, each followed as by its own stream (RA-10.7). */
export class SessionSocket {
  readonly #socket: WebSocket;
  readonly #principal: Principal;
  readonly #deps: SocketDeps;
  readonly #owner: SocketOwner;
  readonly #followers = new Map<string, SocketFollower>();
  #commands: Promise<void> = Promise.resolve();
  #waiting = 0;
  #isCut = false;
  #isAlive = true;
  #callOffPing: () => void;

  constructor(socket: WebSocket, principal: Principal, deps: SocketDeps, owner: SocketOwner) {
    this.#socket = socket;
    this.#principal = principal;
    this.#deps = deps;
    this.#owner = owner;
    socket.on('message', (data, isBinary) => this.#take(data, isBinary));
    socket.on('pong', () => {
      this.#isAlive = true;
    });
    // What breaks a connection is the peer's affair; it is told by `close`.
    socket.on('error', () => socket.terminate());
    socket.once('close', () => {
      this.#callOffPing();
      for (const follower of [...this.#followers.values()]) follower.close();
      owner.closed();
    });
    this.#callOffPing = this.#schedulePing();
  }

  /** The host goes away. */
  close(): void {
    this.#socket.close(CLOSE.going_away);
  }

  /** What has arrived and was not begun yet is left undone. */
  terminate(): void {
    this.#isCut = true;
    this.#socket.terminate();
  }

  #schedulePing(): () => void {
    const { clock } = this.#deps;
    return clock.at(clock.now() + limits.sse_ping, () => {
      if (!this.#isAlive) {
        this.#socket.terminate();
        return;
      }
      this.#isAlive = false;
      this.#socket.ping();
      this.#callOffPing = this.#schedulePing();
    });
  }

  #take(data: RawData, isBinary: boolean): void {
    if (isBinary) {
      this.#socket.close(CLOSE.unsupported, 'commands are text');
      return;
    }
    if (this.#waiting >= limits.socket_waiting) {
      this.#socket.close(CLOSE.violation, 'too many commands at once');
      return;
    }
    this.#waiting += 1;
    this.#commands = this.#commands.then(async () => {
      if (!this.#isCut) await this.#obey(data);
      this.#waiting -= 1;
    });
  }

  async #obey(data: RawData): Promise<void> {
    let command: SocketCommand | null = null;
    try {
      command = readCommand(data);
      if (command.type === 'subscribe') await this.#subscribe(command);
      else if (command.type === 'unsubscribe') this.#unsubscribe(command);
      else await this.#send(command);
    } catch (failure) {
      this.#refuse(failure, command?.session_id, command?.ref);
    }
  }

  async #subscribe({ session_id: named, after, format, ref }: CommandOf<'subscribe'>): Promise<void> {
    const { hub, gateway } = this.#deps;
    const cursor = after === undefined ? null : parseCursor(after);
    const session_id = await readableSession(gateway, named, this.#principal);
    const key = subscriptionKey(session_id, format);
    if (this.#followers.has(key)) throw new ApiError('invalid_argument', 'this session is followed already');
    if (this.#followers.size >= limits.socket_subscriptions) {
      const message = `one connection follows ${limits.socket_subscriptions} sessions`;
      throw new ApiError('rate_limited', message, { details: { hint: 'Open another connection.' } });
    }
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    const following = { format, cursor, principal: this.#principal };
    const serving = hub.attach(session_id, following, (left) => {
      // The connection outlives a session that is deleted: whoever follows that one is told.
      const unwatch = hub.whenGone(session_id, () => {
        follower.close();
        this.#tell({ type: 'unsubscribed', session_id, format });
      });
      const follower = new SocketFollower(
        this.#socket,
        { session_id, format },
        {
          begun: () => this.#tell({ type: 'subscribed', session_id, format, ref }),
          left: (gone) => {
            unwatch();
            if (this.#followers.get(key) === gone) this.#followers.delete(key);
            left(gone);
          },
        },
      );
      this.#followers.set(key, follower);
      return follower;
    });
    // It catches up at its own pace; the next command need not wait for that.
    serving.catch((failure: unknown) => {
      this.#followers.get(key)?.close();
      this.#refuse(failure, session_id, ref);
    });
  }

  #unsubscribe({ session_id: named, format, ref }: CommandOf<'unsubscribe'>): void {
    const session_id = sessionIdOf(named);
    this.#followers.get(subscriptionKey(session_id, format))?.close();
    this.#tell({ type: 'unsubscribed', session_id, format, ref });
  }

  async #send({ session_id: named, message, ref }: CommandOf<'send'>): Promise<void> {
    const session_id = sessionIdOf(named);
    const result = await this.#deps.send(session_id, message, this.#principal);
    this.#tell({ type: 'sent', session_id, result, ref });
  }

  #refuse(failure: unknown, session_id: string | undefined, ref: string | undefined): void {
    this.#owner.refused(failure, session_id);
    const { body } = toAnswer(failure, this.#deps.report);
    this.#tell({ type: 'refused', session_id, ref, error: JSON.parse(body) });
  }

  #tell(notice: Readonly<Record<string, unknown>>): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(JSON.stringify(notice));
  }
}

function bytesOf(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}

function readCommand(data: RawData): SocketCommand {
  const value = parseJson(bytesOf(data));
  const key = isJsonObject(value) ? forbiddenKey(value) : null;
  if (key !== null) {
    const details = { path: key, hint: 'Give the key another name.' };
    throw new ApiError('invalid_argument', `the key ${key} is not allowed`, { details });
  }
  const parsed = SocketCommand.safeParse(value);
  if (parsed.success) return parsed.data;
  const { path, sentence } = schemaFault(parsed.error, 'the command');
  throw new ApiError('invalid_argument', sentence, {
    details: { path, hint: 'Send subscribe, unsubscribe or send, as docs/http-api.md says.' },
  });
}
