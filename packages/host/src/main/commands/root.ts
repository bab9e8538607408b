import { defineCommand } from 'citty';
import { startSpareThread } from '../../store/sqlite/spare-threads.ts';
import { programs } from '../programs.ts';

/** Every command; each is loaded when it is asked for. */
export const root = defineCommand({
  subCommands: {
    start: () => {
      startSpareThread(programs.sqliteWorker);
      return import('./start.ts').then(({ start }) => start);
    },
    open: () => import('./open.ts').then(({ open }) => open),
    chat: () => import('./chat.ts').then(({ chat }) => chat),
    runs: () => import('./runs.ts').then(({ runs }) => runs),
    sessions: () => import('./sessions.ts').then(({ sessions }) => sessions),
    agents: () => import('./agents.ts').then(({ agents }) => agents),
    knowledge: () => import('./knowledge.ts').then(({ knowledge }) => knowledge),
    models: () => import('./models.ts').then(({ models }) => models),
    tools: () => import('./tools.ts').then(({ tools }) => tools),
    keys: () => import('./keys.ts').then(({ keys }) => keys),
    config: () => import('./config.ts').then(({ config }) => config),
    runners: () => import('./runners.ts').then(({ runners }) => runners),
    reload: () => import('./reload.ts').then(({ reload }) => reload),
    'create-runner': () => import('./create-runner.ts').then(({ createRunner }) => createRunner),
    backup: () => import('./backup.ts').then(({ backup }) => backup),
    restore: () => import('./restore.ts').then(({ restore }) => restore),
    replay: () => import('./replay.ts').then(({ replay }) => replay),
    doctor: () => import('./doctor.ts').then(({ doctor }) => doctor),
  },
});

export const USAGE = `Usage: rostra COMMAND [options]

  start                serves agents until Ctrl-C
  open                 opens the running host in your browser, logged in
  chat                 talks to its agents here in the terminal
  agents list|show     who can answer
  sessions list|show   conversations; also export, delete
  runs list|show       single runs; also events, cancel
  knowledge add        documents that agents look things up in; also create, list, show, search, remove, reindex
  models list          what agents think with; also add, test, remove
  tools list           what agents can do; also servers, add, approve, remove
  keys list            who may use the host; also create, revoke
  doctor               looks for what could be wrong, and says what to do
  config check         says whether the configuration is right
  config show          what holds, and where each value comes from
  config schema        the JSON Schema of rostra.yaml, for editors
  runners list         what is configured or found, and in what state
  runners check        says which promises of the protocol a runner keeps: -- COMMAND…
  create-runner DIR    writes a runner of your own into a new folder
  reload               the running host reads its configuration anew
  backup FILE          writes everything that a host keeps into one file, also while it runs
  restore FILE         puts a backup into an empty data folder
  replay [SESSION]     proves the log of every session, or of one
  COMMAND --help       what a command takes
  --help               this text
  --version            which version this is

Exit codes: 0 done, 1 refused or failed, 2 wrong usage. --json is for machines.
Commands that need a running host find it and its key in the data folder; --url and --key, or ROSTRA_URL and
ROSTRA_API_KEY, name another.

The configuration is rostra.yaml in this folder, or --config FILE; docs/configuration.md lists every key.
These variables win over the file:
  ROSTRA_CONFIG      the file
  ROSTRA_HOST        address to bind (127.0.0.1)
  ROSTRA_PORT        port (8787, or the next free one)
  ROSTRA_DATA        folder of the data (.rostra)
  ROSTRA_API_KEY     key of the owner (made on first start, in owner.key)
  ROSTRA_SECRET_KEY  64 hexadecimal digits that seal the keys of models (made with the first one, in secret.key)
  ROSTRA_DURABILITY  "flush" makes every record wait for the disk (class)
  ROSTRA_HOSTS       further host names to answer to, by commas
  ROSTRA_ORIGINS     origins whose pages may use the host, by commas
  ROSTRA_PUBLIC_URL  where browsers find the host, when that is not where it listens`;
