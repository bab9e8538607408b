import type { Command } from '../command.ts';
import { artifact } from './artifact.ts';
import { ask } from './ask.ts';
import { clientTool } from './client-tool.ts';
import { crash } from './crash.ts';
import { fail } from './fail.ts';
import { handover } from './handover.ts';
import { hang } from './hang.ts';
import { helpFor } from './help.ts';
import { history } from './history.ts';
import { image } from './image.ts';
import { slow } from './slow.ts';
import { state } from './state.ts';
import { stream } from './stream.ts';
import { tool } from './tool.ts';
import { tour } from './tour.ts';
import { ui } from './ui.ts';

/** In the order in which /help shows them. */
const others: readonly Command[] = [
  tour,
  stream,
  slow,
  tool,
  ui,
  fail,
  crash,
  hang,
  clientTool,
  image,
  artifact,
  state,
  history,
  handover,
  ask,
];
const all = [helpFor(others), ...others];

export const commands: ReadonlyMap<string, Command> = new Map(all.map((command) => [command.name, command]));
