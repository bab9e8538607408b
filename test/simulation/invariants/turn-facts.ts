/** What the oracle knows about one turn. */
export interface TurnFacts {
  id: string;
  agent: string;
  trace: string;
  requested_by: string | null;
  input_id: string | null;
  state: 'dispatched' | 'queued' | 'steering' | 'adding_agent';
  parent: string | null;
  depth: number;
  order: number;
  accepted: { at: number; down: number };
  accepts: number;
  run_id: string | null;
  dispatched: { at: number; ts: number; down: number } | null;
  dispatches: number;
  /** How often its input went to an agent. */
  inputs: number;
  started: number;
  acked: boolean;
  spoke: boolean;
  chunks: number;
  bytes: number;
  /** Text that frontends saw, and text that was taken from the agent. */
  text: string;
  /** All that was shown: streamed text, and messages that came whole. */
  shown: string;
  /** The same by message, a whole one in the place of what was streamed of it. */
  said: Map<string, string>;
  /** What its tools gave back, by the items of the transcript that hold it. */
  given: Map<string, string>;
  attempts: number;
  /** Tool calls without their answer. */
  calls: number;
  received: string;
  next_sequence: number;
  open_message: string | null;
  cancels: number;
  cancel: { index: number; at: number } | null;
  pulled: boolean;
  /** What it asks people and has no answer to, and for what purpose. */
  asking: Map<string, string>;
  /** Virtual time waited for people. */
  person: number;
  ends: number;
  end: { status: 'COMPLETED' | 'FAILED' | 'CANCELED'; at: number; down: number; index: number; epoch: number } | null;
}
