import { fileURLToPath } from 'node:url';

/** The folder of the built host, seen from the bundle and from the sources. */
const dist = new URL(import.meta.url.includes('/src/main/') ? '../../dist/' : './', import.meta.url);

/** The other programs that the host starts: built beside it. */
export const programs = {
  sqliteWorker: new URL('sqlite-worker.js', dist),
  documentWorker: new URL('document-worker.js', dist),
  tokenWorker: new URL('token-worker.js', dist),
  pageWorker: new URL('page-worker.js', dist),
  demoRunner: new URL('../../runners/demo/dist/main.js', dist),
  localAgentRunner: new URL('../../runners/local-agent/dist/main.js', dist),
  /** The console's files. */
  console: new URL('../../console/dist/', dist),
  /** Where npm packages that were installed with the host are found. */
  hostFolder: fileURLToPath(new URL('..', dist)),
  /** What a new runner is made of, and what packs the SDK for it. */
  runnerTemplate: new URL('../../runner-sdk/template/', dist),
  pythonExample: new URL('../../../examples/runner-python/', dist),
  launcher: new URL('../../../scripts/launch.cjs', dist),
};
