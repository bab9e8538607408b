import type { Patch } from '../mutation/patched-bundle.ts';

const gate = 'packages/host/src/proxy/gate.ts';
const check = 'packages/kernel/src/grant/check-call.ts';
const reach = 'packages/host/src/proxy/conversation-reach.ts';

/** Bugs that a gate could have; each must make the host and the model disagree. */
export const mutants: readonly Patch[] = [
  {
    id: 'no-deadline',
    file: gate,
    find: 'if (at >= run.deadline_at) throw deadlinePassed();',
    replace: '',
  },
  {
    id: 'deadline-before-grant',
    file: gate,
    find: 'const refusal = checkCall(run.charter.grant, passage.asked);',
    replace:
      'if (at >= run.deadline_at) throw deadlinePassed();\n    const refusal = checkCall(run.charter.grant, passage.asked);',
  },
  {
    id: 'no-grant',
    file: gate,
    find: 'if (refusal !== null) throw new ApiError(refusal.code, refusal.message, refusal);',
    replace: '',
  },
  {
    id: 'refusal-not-audited',
    file: gate,
    find: 'this.#note(call, passage, refusal);',
    replace: "if (refusal.code !== 'not_found') this.#note(call, passage, refusal);",
  },
  {
    id: 'refusals-not-counted',
    file: gate,
    find: 'if (!isOver(call.run) && !isDenied(refusal)) this.#options.refusals',
    replace: "if (refusal.code === 'runtime_error') this.#options.refusals",
  },
  {
    id: 'one-refusal-more',
    file: 'packages/host/src/proxy/refusal-count.ts',
    find: 'if (count !== limits.run_refusals) return;',
    replace: 'if (count !== limits.run_refusals + 1) return;',
  },
  {
    id: 'rate-unlimited',
    file: 'packages/host/src/proxy/call-meter.ts',
    find: 'if (meter.tokens < CALL) {',
    replace: 'if (meter.tokens < -1e9) {',
  },
  {
    id: 'run-of-another-package',
    file: 'packages/host/src/orchestrator/api-calls.ts',
    find: 'const run = run_id === null ? null : this.#runs.live(run_id);',
    replace: "const run = run_id === null ? null : (this.#runs.live(run_id) ?? this.#runs.live('turn-1.1'));",
  },
  {
    id: 'any-thread',
    file: check,
    find: '    target.conversation_id === scope.conversation_id &&\n    target.thread_id === scope.thread_id',
    replace: '    target.conversation_id === scope.conversation_id',
  },
  {
    id: 'artifact-of-any-agent',
    file: check,
    find: 'if (place.agent_id != null) return place.agent_id === grant.agent_id;',
    replace: 'if (place.agent_id != null) return true;',
  },
  {
    id: 'any-storage-area',
    file: check,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a template.
    find: 'return resources.storage[`${call.area}_storage`] ? null',
    replace: 'return apis.storage ? null',
  },
  {
    id: 'foreign-is-unauthorized',
    file: check,
    find: "withinArtifact(grant, call.target) ? null : notFound('artifact')",
    replace: "withinArtifact(grant, call.target) ? null : unauthorized('that artifact')",
  },
  {
    id: 'other-bots-history',
    file: reach,
    find: 'isOwn(grant, conversation_id) ? { thread_id, bot_id } : rowsBeyond(grant)',
    replace: 'isOwn(grant, conversation_id) ? { thread_id } : rowsBeyond(grant)',
  },
  {
    id: 'untouched-conversation',
    file: reach,
    find: 'const isTouched = await transcript.has(conversation_id, rowsBeyond(grant));',
    replace: 'const isTouched = (await transcript.has(conversation_id, rowsBeyond(grant))) || true;',
  },
  {
    id: 'cursor-of-any-conversation',
    file: 'packages/host/src/store/cursor.ts',
    find: 'JSON.stringify([FORM, family, workspace_id, conversation_id, thread_id, position])',
    replace: 'JSON.stringify([FORM, family, workspace_id, thread_id, position])',
  },
  {
    id: 'state-without-thread',
    file: 'packages/kernel/src/state/state-identity.ts',
    find: 'JSON.stringify([conversation_id, thread_id])',
    replace: 'JSON.stringify([conversation_id])',
  },
  {
    id: 'storage-of-any-package',
    file: 'packages/host/src/proxy/families/storage.ts',
    find: 'JSON.stringify([workspace_id, package_name])',
    replace: 'JSON.stringify([workspace_id])',
  },
];

export function findMutant(id: string): Patch {
  const mutant = mutants.find((each) => each.id === id);
  if (mutant === undefined) throw new Error(`there is no mutant ${id}`);
  return mutant;
}
