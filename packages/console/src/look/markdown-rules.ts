/** Agents write of `List<String>` and of `<Enter>`: what stands in angle brackets is text like any other. */
export function noHtml(this: { data(): object }): void {
  const data: { micromarkExtensions?: unknown[] } = this.data();
  data.micromarkExtensions ??= [];
  data.micromarkExtensions.push({ disable: { null: ['htmlFlow', 'htmlText'] } });
}

interface Tree {
  readonly children: readonly { type: string; properties?: Record<string, unknown> }[];
}

/** Every block is laid out in the direction of its own words. */
export function ownDirections() {
  return ({ children }: Tree): void => {
    for (const { type, properties } of children)
      if (type === 'element' && properties !== undefined) properties.dir = 'auto';
  };
}
