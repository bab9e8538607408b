/** What a reader finds on one page of a document, or in one without pages. */
export interface DocumentPage {
  readonly page: number | null;
  readonly text: string;
}
