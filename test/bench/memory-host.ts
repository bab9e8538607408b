import { Configuration } from '../../packages/host/src/main/configuration.ts';
import { startEmbedded } from '../../packages/host/src/main/embedded.ts';
import { openLog } from '../../packages/host/src/main/log/open-log.ts';
import { beginStore } from '../../packages/host/src/main/store-opening.ts';
import { MemoryStore } from '../../packages/host/src/store/memory/memory-store.ts';

/** The same host without a disk: what the log costs is the difference. */
const openMemory = () => Promise.resolve(new MemoryStore());
const configuration = await Configuration.read({ env: process.env, flags: {}, cwd: process.cwd() });
const log = openLog(configuration.log, process.stdout);
const host = await startEmbedded(configuration, log, beginStore(configuration, openMemory));
log.say(host.address);
