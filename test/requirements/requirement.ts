/** Where a clause of docs/spec is tested: `file` from the root of the repository, `name` a test's title or part of it. */
export type Requirement = 'planned' | { file: string; name: string };

export type Requirements = Record<string, Requirement>;

export function planned(...ids: string[]): [string, Requirement][] {
  return ids.map((id) => [id, 'planned']);
}

export function tested(tests: Record<string, [file: string, name: string]>): [string, Requirement][] {
  return Object.entries(tests).map(([id, [file, name]]) => [id, { file, name }]);
}

/** Joins what `planned` and `tested` list; an id may stand in one place only. */
export function collect(...lists: [string, Requirement][][]): Requirements {
  const requirements: Requirements = {};
  for (const [id, requirement] of lists.flat()) {
    if (Object.hasOwn(requirements, id)) throw new Error(`${id} is listed twice in test/requirements`);
    requirements[id] = requirement;
  }
  return requirements;
}
