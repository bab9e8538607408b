import { Worker } from 'node:worker_threads';

const spare: { url: string; worker: Worker }[] = [];

function begin(url: URL): Worker {
  // Not the flags of this process, which may name loaders that the bundled worker does without.
  return new Worker(url, { name: 'store', execArgv: [] });
}

/** Begins a thread while this one still loads what will use it: it takes about as long to be ready. */
export function startSpareThread(url: URL): void {
  const worker = begin(url);
  // A program that ends without having needed it does not wait for it.
  worker.unref();
  spare.push({ url: url.href, worker });
}

export function takeThread(url: URL): Worker {
  const at = spare.findIndex((each) => each.url === url.href);
  const [found] = at < 0 ? [] : spare.splice(at, 1);
  if (found === undefined) return begin(url);
  found.worker.ref();
  return found.worker;
}
