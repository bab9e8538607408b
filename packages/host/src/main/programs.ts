/** The folder of the built host, seen from the bundle and from the sources. */
const dist = new URL(import.meta.url.includes('/src/main/') ? '../../dist/' : './', import.meta.url);

/** The other programs that the host starts: built beside it. */
export const programs = {
  sqliteWorker: new URL('sqlite-worker.js', dist),
  demoRunner: new URL('../../runners/demo/dist/main.js', dist),
};
