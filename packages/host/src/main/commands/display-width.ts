const clusters = new Intl.Segmenter();
/** What Unicode calls wide or fullwidth, in ranges, and what terminals draw as a picture. */
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]|\ufe0f/u;
/** What is drawn over the character before it, or not at all. */
const unseen = /[\p{Mn}\p{Me}\p{Cf}\p{Cc}]/gu;

/** How many columns of a terminal one character as people see it takes. */
function widthOf(cluster: string): number {
  return wide.test(cluster) ? 2 : [...cluster.replaceAll(unseen, '')].length;
}

/** How many columns of a terminal a text takes. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const { segment } of clusters.segment(text)) width += widthOf(segment);
  return width;
}

/** With blanks up to a width. */
export function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

/** As much of its beginning as fits into so many columns. */
export function beginningOf(text: string, columns: number): string {
  let width = 0;
  for (const { segment, index } of clusters.segment(text)) {
    width += widthOf(segment);
    if (width > columns) return text.slice(0, index);
  }
  return text;
}
