import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { HostOffers } from '@rostra/kernel/grant/grant-terms';
import { KnowledgeDesk } from '../capabilities/knowledge/documents/knowledge-desk.ts';
import { HybridRetriever } from '../capabilities/knowledge/hybrid-retriever.ts';
import { KnowledgeShelf } from '../capabilities/knowledge/knowledge-shelf.ts';
import { ModelShelf } from '../capabilities/models/model-shelf.ts';
import type { SourcedModel } from '../capabilities/models/model-source.ts';
import { TokenThread } from '../capabilities/models/token-counter.ts';
import { OwnTools } from '../capabilities/tools/own/own-tools.ts';
import { ToolShelf } from '../capabilities/tools/tool-shelf.ts';
import { type ModelRegistry, modelRegistry } from '../config/model-registry.ts';
import { SecretBox } from '../config/secret-box.ts';
import { type ToolServerRegistry, toolServerRegistry } from '../config/tool-server-registry.ts';
import { PidFile } from '../discovery/pid-file.ts';
import { newId } from '../new-id.ts';
import type { ApiServices } from '../proxy/api-family.ts';
import { knowledgeFamily } from '../proxy/families/knowledge.ts';
import { modelsFamily } from '../proxy/families/models.ts';
import type { Clock } from '../session/clock.ts';
import type { HostStore } from '../store/host-store.ts';
import type { AuditEntry } from '../store/ports/audit.ts';
import type { HostLog } from './host-log.ts';
import type { LiveConfig } from './live-config.ts';
import type { Detection } from './model-detection.ts';
import { programs } from './programs.ts';
import { secretKeys } from './secret-key.ts';
import type { Environment } from './settings.ts';

export interface CapabilityOptions {
  readonly live: LiveConfig;
  readonly store: HostStore;
  readonly clock: Clock;
  readonly log: HostLog;
  readonly detection: Detection;
  readonly environment: Environment;
  /** The data folder. */
  readonly data: string;
  readonly workspace_id: string;
  readonly version: string;
  readonly audit: (entry: AuditEntry) => void;
}

type Offered = Pick<HostOffers, 'models' | 'tools' | 'denied_tools' | 'knowledge_bases'>;

/** What runs reach beyond their conversation: models, tools and knowledge, and what people configured of them. */
export class CapabilitySide {
  readonly models: ModelShelf;
  readonly tools: ToolShelf;
  readonly knowledge: KnowledgeShelf;
  readonly documents: KnowledgeDesk;
  readonly stored_models: ModelRegistry;
  readonly stored_servers: ToolServerRegistry;
  readonly services: ApiServices;
  readonly #options: CapabilityOptions;
  readonly #counter: TokenThread;
  #offers: Offered | null = null;

  constructor(options: CapabilityOptions) {
    const { live, store, clock, log, environment, data, workspace_id } = options;
    this.#options = options;
    const registries = {
      store: store.registry,
      box: new SecretBox(secretKeys(data, environment)),
      config: () => live.config,
    };
    this.stored_models = modelRegistry(registries);
    this.stored_servers = toolServerRegistry(registries);
    this.#counter = new TokenThread({ program: programs.tokenWorker, clock });
    this.models = new ModelShelf({ sources: () => this.#modelSources(), environment, clock, counter: this.#counter });
    const folder = path.join(data, 'tools');
    this.tools = new ToolShelf({
      own: new OwnTools({ policies: () => live.config.tools, clock, page_worker: programs.pageWorker }),
      registry: store.registry,
      clock,
      folder,
      processes: toolProcesses(folder),
      environment,
      version: options.version,
      workspace_id,
      audit: options.audit,
      log: ({ server_id, kind, text }) => log.info('tools.printed', { server: server_id, stream: kind, text }),
      models: this.models,
    });
    this.knowledge = new KnowledgeShelf({ knowledge: store.knowledge, workspace_id });
    const retriever = new HybridRetriever({
      knowledge: store.knowledge,
      models: this.models,
      config: () => live.config.knowledge,
      clock,
      report: (failure) => log.fault('knowledge', failure),
    });
    this.documents = new KnowledgeDesk({
      knowledge: store.knowledge,
      artifacts: store.artifacts,
      models: this.models,
      retriever,
      clock,
      program: programs.documentWorker,
      newId,
      config: () => live.config.knowledge,
      changed: () => this.knowledge.refresh(),
      failed: (error) => log.fault('knowledge', error),
    });
    this.services = {
      ...modelsFamily({ models: this.models, artifacts: store.artifacts, clock }),
      ...knowledgeFamily({ shelf: this.knowledge, retriever }),
    };
    this.tools.onChange(() => this.#changed());
    this.knowledge.onChange(() => this.#changed());
  }

  /** The same object until something changes: grants are made from it. */
  get offers(): Offered {
    this.#offers ??= {
      models: this.models.offers(),
      tools: this.tools.offers(),
      denied_tools: this.#deniedTools(),
      knowledge_bases: this.knowledge.offers(),
    };
    return this.#offers;
  }

  /** Takes up what the file and the store say now; live runs keep what they were granted. */
  async refresh(): Promise<void> {
    const { log, live, workspace_id } = this.#options;
    await Promise.all([this.stored_models.refresh(), this.stored_servers.refresh(), this.knowledge.refresh()]);
    log.conceal(...this.stored_models.secrets, ...this.stored_servers.secrets);
    this.tools.apply(live.config.tools, this.stored_servers.opened);
    this.#changed();
    // Documents that wait, or that another model is to read, need nobody who waits for them.
    this.documents.apply(workspace_id).catch((error: unknown) => log.fault('knowledge', error));
  }

  async close(): Promise<void> {
    await Promise.all([this.tools.close(), this.documents.stop(), this.#counter.close()]);
  }

  /** What the file says goes before what was made at run time, and that before what was found. */
  #modelSources(): Readonly<Record<string, SourcedModel>> {
    const { live, detection } = this.#options;
    const { found } = detection;
    // One whose secrets cannot be read keeps its id to itself: nobody else's key stands in for its own.
    const isTaken = this.stored_models.entries.some(({ id }) => id === found?.model_id);
    return {
      ...(found !== null && !isTaken && { [found.model_id]: found.model }),
      ...sourced(this.stored_models.opened, 'store'),
      ...sourced(live.config.models, 'file'),
    };
  }

  #deniedTools(): string[] {
    const names = this.tools.offers().map(({ tool_name }) => tool_name);
    return names.filter((name) => this.tools.find(name)?.tool.policy === 'deny');
  }

  #changed(): void {
    this.#offers = null;
  }
}

/** The list of what servers of tools run; what a host that was killed left behind is ended. */
function toolProcesses(folder: string): PidFile {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const processes = new PidFile(path.join(folder, 'processes.json'));
  processes.reap();
  return processes;
}

function sourced(
  models: Readonly<Record<string, SourcedModel['config']>>,
  source: SourcedModel['source'],
): Record<string, SourcedModel> {
  return Object.fromEntries(Object.entries(models).map(([id, config]) => [id, { config, source }]));
}
