/** Where a value breaks its schema, and how: the first place is enough for a sentence. */
export function issueOf({ issues }: { readonly issues: readonly { path: PropertyKey[]; message: string }[] }): string {
  const [issue] = issues;
  const place = issue === undefined || issue.path.length === 0 ? 'params' : issue.path.map(String).join('.');
  return `${place}: ${issue?.message ?? 'not what was expected'}`;
}
