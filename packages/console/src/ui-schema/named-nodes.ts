import type { UiNode } from '@rostra/protocol/run-api/ui-schema';

/** Nodes never move within their card: each is named by its type and how many of that type stand before it. */
export function named(nodes: readonly UiNode[]): [name: string, node: UiNode][] {
  const seen = new Map<string, number>();
  return nodes.map((node) => {
    const count = seen.get(node.type) ?? 0;
    seen.set(node.type, count + 1);
    return [`${node.type} ${count}`, node];
  });
}
