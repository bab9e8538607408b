/** Node ends a crash with its version, Python with the error: the line that says what it was is worth showing. */
export function lastWords(printed: readonly string[]): string | undefined {
  return printed.findLast((line) => /\bError\b|\w+Error\b/.test(line)) ?? printed.findLast((line) => line !== '');
}
