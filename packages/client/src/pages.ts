interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/** The items of all pages; the next page is read when it is asked for. */
export async function* eachOf<Item>(
  read: (page: { cursor?: string }) => Promise<Page<Item>>,
): AsyncGenerator<Item, void> {
  let page = await read({});
  for (;;) {
    yield* page.items;
    if (page.nextCursor === null) return;
    page = await read({ cursor: page.nextCursor });
  }
}
