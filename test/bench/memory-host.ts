import { startEmbedded } from '../../packages/host/src/main/embedded.ts';
import { HostLog } from '../../packages/host/src/main/host-log.ts';
import { readSettings } from '../../packages/host/src/main/settings.ts';
import { MemoryStore } from '../../packages/host/src/store/memory/memory-store.ts';

/** The same host without a disk: what the log costs is the difference. */
const log = new HostLog((text) => process.stdout.write(text));
const openMemory = () => Promise.resolve(new MemoryStore());
const host = await startEmbedded(readSettings(process.env, process.cwd()), log, openMemory);
log.say(host.address);
