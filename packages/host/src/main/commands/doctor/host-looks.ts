import type { RostraClient } from '@rostra/client';
import { type Finding, fail, ok, warn } from './finding.ts';

/** How a running host says that it is. */
export async function lookAtHost(client: RostraClient, url: string): Promise<Finding[]> {
  const status = await client.host.status();
  const { items } = await client.host.runners();
  const { store } = status;
  const storeFinding =
    store.state === 'damaged'
      ? fail(
          'store',
          [...store.problems, ...store.damagedSessions].join(', ') || 'damaged',
          'Run `rostra replay`, and restore a backup.',
        )
      : ok('store', store.state);
  const ready = status.isReady
    ? ok('ready', `version ${status.version} at ${url}, ${status.sessions.liveTurns} live turns`)
    : fail('ready', `It waits for ${status.missing.join(', ')}`, 'Look into its log.');
  const notes = status.notes.map((note) => warn('note', note, 'Look into its log.'));
  return [ready, storeFinding, ...notes, ...items.map(runnerFinding)];
}

type Runner = Awaited<ReturnType<RostraClient['host']['runners']>>['items'][number];

function runnerFinding({ id, state, isolation, reason, isEnabled }: Runner): Finding {
  const what = `runner ${id}`;
  const said = `${state}, isolation ${isolation ?? 'its own'}${reason === null ? '' : `: ${reason}`}`;
  if (state === 'quarantined') return fail(what, said, 'Mend the runner, then restart it.');
  return state === 'ready' || !isEnabled ? ok(what, said) : warn(what, said, 'Wait, or look into its log.');
}
