import type { UiSchemaRenderer } from '@rostra/protocol/run-api/ui-schema';
import { mapNodes } from './ui-tree.ts';

const SCHEME = 'attachment:';

/** A card with the files that its images name in place of their names, by urls that `sign` makes for whoever reads it. */
export function withSignedImages(ui: UiSchemaRenderer, sign: (artifact_id: string) => string): UiSchemaRenderer {
  const root = mapNodes(ui.root, (node) => {
    if (node.type !== 'image' || !node.url.startsWith(SCHEME)) return node;
    return { ...node, url: sign(node.url.slice(SCHEME.length)) };
  });
  return { ...ui, root };
}
