import type { Operation } from './operation.ts';
import { agentOperations } from './operations/agents.ts';
import { aguiOperations } from './operations/agui.ts';
import { attachmentOperations } from './operations/attachments.ts';
import { historyOperations } from './operations/history.ts';
import { inboundOperations } from './operations/inbound.ts';
import { interactionOperations } from './operations/interactions.ts';
import { keyOperations } from './operations/keys.ts';
import { knowledgeOperations } from './operations/knowledge.ts';
import { managementOperations } from './operations/management.ts';
import { modelOperations } from './operations/models.ts';
import { referenceOperations } from './operations/reference.ts';
import { runControlOperations } from './operations/run-control.ts';
import { runDossierOperations } from './operations/run-dossier.ts';
import { runStatusOperations } from './operations/run-status.ts';
import { sessionOperations } from './operations/sessions.ts';
import { streamOperations } from './operations/streams.ts';
import { toolResultOperations } from './operations/tool-results.ts';
import { toolOperations } from './operations/tools.ts';

/** Every operation of the HTTP API, by chapters: routes, reference and documents are made from this table. */
export const operations = {
  ...aguiOperations,
  ...runStatusOperations,
  ...streamOperations,
  ...runControlOperations,
  ...toolResultOperations,
  ...runDossierOperations,
  ...historyOperations,
  ...attachmentOperations,
  ...sessionOperations,
  ...interactionOperations,
  ...inboundOperations,
  ...agentOperations,
  ...modelOperations,
  ...toolOperations,
  ...knowledgeOperations,
  ...keyOperations,
  ...managementOperations,
  ...referenceOperations,
} satisfies Readonly<Record<string, Operation>>;

export type OperationId = keyof typeof operations;
