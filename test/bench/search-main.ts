import { measureSearch } from './search-row.ts';

/** p95 of a search among 100,000 messages, warm, on two cores. */
const BOUND = 50;
const messages = Number(process.argv[2] ?? 100_000);

const figures = await measureSearch(messages, 200);
const round = (value: number) => `${value.toFixed(1)} ms`;
for (const scope of ['conversation', 'workspace'] as const) {
  const { p50, p95, place } = figures;
  console.log(`search of the ${scope}: p50 ${round(p50[scope])}, p95 ${round(p95[scope])}, found at ${place[scope]}`);
}
console.log(`${messages} messages: written in ${round(figures.built)}, indexed in ${round(figures.indexed)}`);
console.log(`database: ${(figures.bytes / 2 ** 20).toFixed(1)} MiB`);
const isGood = figures.place.conversation > 0 && figures.place.workspace > 0 && figures.p95.conversation <= BOUND;
process.exitCode = isGood && figures.p95.workspace <= BOUND ? 0 : 1;
