/** The places of messages in one conversation, in a form that a runner can keep and neither take apart nor make up. */
export interface TranscriptCursors {
  seal(seq: number): string;
  /** Null for what was not sealed for this conversation. */
  open(text: string): number | null;
}
