/** A promise port as the thread that does its work has it: the same calls, answered at once. */
export type InThread<P> = {
  [K in keyof P]: P[K] extends (...args: infer A) => Promise<infer R> ? (...args: A) => R : never;
};
