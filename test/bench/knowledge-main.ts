import { measureKnowledge, type Spread } from './knowledge-row.ts';

const [chunks = 50_000, more = 10_000] = process.argv.slice(2).map(Number);

const figures = await measureKnowledge(chunks, more, 100);
const text = ({ p50, p95, p99, max }: Spread) =>
  `p50 ${p50.toFixed(1)}, p95 ${p95.toFixed(1)}, p99 ${p99.toFixed(1)}, max ${max.toFixed(1)} ms`;
console.log(`search among ${chunks} chunks by words: ${text(figures.words)}`);
console.log(`search among ${chunks} chunks by vectors: ${text(figures.vectors)}`);
console.log(`search among ${chunks} chunks by both: ${text(figures.both)}`);
console.log(`commits alone: ${text(figures.alone)}`);
console.log(`commits while ${more} chunks are added in ${figures.added.toFixed(0)} ms: ${text(figures.beside)}`);
console.log(`database: ${(figures.bytes / 2 ** 20).toFixed(1)} MiB`);
