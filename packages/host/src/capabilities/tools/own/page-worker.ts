import { parentPort, workerData } from 'node:worker_threads';
import TurndownService from 'turndown';

/** Makes Markdown of one page, in a thread of its own: pages come from strangers, and some take for ever. */
const made = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-' });
parentPort?.postMessage(made.turndown(String(workerData)));
