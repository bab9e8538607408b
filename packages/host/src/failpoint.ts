/**
 * Every place where a test may make the host die, fail or stall. They do nothing unless the process was started for a
 * test that names them: `NODE_ENV=test ROSTRA_FAILPOINTS=commit.done:kill:3,commit.begin:delay=50`.
 */
export const failpoints = [
  /** The writer has units and has not begun their transaction. */
  'commit.begin',
  /** Their rows are written, and not committed. */
  'commit.written',
  /** They are committed, and nobody knows it yet. */
  'commit.done',
  /** A crowd's commits are about to be written to the journal. */
  'journal.begin',
  /** They are on disk, and nobody knows it yet. */
  'journal.written',
  /** Commits that waited in the journal have their rows, and those are not committed. */
  'journal.settled',
  /** A message to an agent is answered, and its outbox row still there. */
  'outbox.remove',
  /** A session's new owner has raised its epoch, and not committed that. */
  'claim.raised',
  'checkpoint.begin',
  'checkpoint.done',
  /** The statements of a migration are done, its number is not written. */
  'migration.written',
  /** A session is about to make up its mind about a message. */
  'session.step',
  /** The driver knows of the commit; nothing has left. */
  'publish.begin',
  /** Agents and the SessionManager were told; followers and callers were not. */
  'publish.sent',
  /** Everybody but the caller was told. */
  'publish.done',
  /** A session was taken over, and what it owes was not sent again. */
  'session.recovered',
  /** RUN_AGENT is on its way. */
  'run.sent',
  /** The runner has accepted; the session does not know. */
  'run.accepted',
  /** Results came in; the session has none of them. */
  'run.results',
  /** An artifact's bytes are on disk under a name of their own. */
  'artifact.written',
  /** They have their last name, and no row points to them. */
  'artifact.renamed',
] as const;
export type Failpoint = (typeof failpoints)[number];

interface Order {
  readonly act: () => void;
  /** At which pass it acts; null for every one. */
  readonly nth: number | null;
}

const stall = new Int32Array(new SharedArrayBuffer(4));

function actOf(name: string, action: string): { act: () => void; every: boolean } {
  if (action === 'kill') return { act: () => process.kill(process.pid, 'SIGKILL'), every: false };
  if (action === 'throw') {
    const act = () => {
      throw new Error(`failpoint ${name}`);
    };
    return { act, every: false };
  }
  const ms = /^delay=(\d{1,6})$/.exec(action)?.[1];
  if (ms === undefined) throw new Error(`a failpoint cannot ${action}`);
  // The thread stands still: a slow disk in the writer, a blocked event loop in the host.
  return { act: () => void Atomics.wait(stall, 0, 0, Number(ms)), every: true };
}

/** Reads `name:action[:nth]`, by commas. A kill or a throw happens once, a delay each time, unless `nth` says when. */
export function readOrders(text: string): Map<string, Order[]> {
  const orders = new Map<string, Order[]>();
  for (const part of text.split(',').filter((each) => each !== '')) {
    const [name = '', action = '', nth] = part.split(':');
    if (!failpoints.some((known) => known === name)) throw new Error(`there is no failpoint ${name}`);
    const { act, every } = actOf(name, action);
    const usual = every ? null : 1;
    const order = { act, nth: nth === undefined ? usual : Number(nth) };
    orders.set(name, [...(orders.get(name) ?? []), order]);
  }
  return orders;
}

const passes = new Map<Failpoint, number>();

function strike(orders: ReadonlyMap<string, readonly Order[]>, name: Failpoint): void {
  const pass = (passes.get(name) ?? 0) + 1;
  passes.set(name, pass);
  for (const { act, nth } of orders.get(name) ?? []) if (nth === null || nth === pass) act();
}

const ordered = process.env.NODE_ENV === 'test' ? (process.env.ROSTRA_FAILPOINTS ?? '') : '';
const orders = ordered === '' ? null : readOrders(ordered);

/** Marks a place by its name. */
export const hit: (name: Failpoint) => void = orders === null ? () => undefined : (name) => strike(orders, name);
