import { afterAll, describe } from 'vitest';
import type { HostStore } from '../../../src/store/host-store.ts';
import { describeArtifacts } from './artifact.suite.ts';
import { describeAudit } from './audit.suite.ts';
import { describeDossiers } from './dossier.suite.ts';
import { describeEvents } from './event.suite.ts';
import { describeInteractions } from './interaction.suite.ts';
import { describeKnowledge } from './knowledge.suite.ts';
import { describeKnowledgeSearch } from './knowledge-search.suite.ts';
import { describeRegistry } from './registry.suite.ts';
import { describeRuns } from './run.suite.ts';
import { describeSearch } from './search.suite.ts';
import { describeSessionCare } from './session-care.suite.ts';
import { describeSessionList } from './session-list.suite.ts';
import { describeState } from './state.suite.ts';
import { describeStorage } from './storage.suite.ts';
import { describeTranscript } from './transcript.suite.ts';

/** The contract of every promise port. Most suites share one store; a session that is deleted needs one of its own. */
export function describePorts(name: string, open: () => Promise<HostStore>): void {
  describe(name, () => {
    const stores: HostStore[] = [];
    let one: Promise<HostStore> | null = null;
    const fresh = async () => {
      const store = await open();
      stores.push(store);
      return store;
    };
    const kept = () => {
      one ??= fresh();
      return one;
    };
    afterAll(() => Promise.all(stores.map((store) => store.close())));

    describeRuns(kept);
    describeTranscript(kept);
    describeState(kept);
    describeStorage(kept);
    describeArtifacts(kept);
    describeInteractions(kept);
    describeAudit(kept);
    describeRegistry(kept);
    describeKnowledgeSearch(kept);
    describeKnowledge(fresh);
    describeSearch(fresh);
    describeDossiers(fresh);
    describeEvents(fresh);
    describeSessionCare(fresh);
    describeSessionList(fresh);
  });
}
