import { AguiInput } from './agui-input.ts';
import { brokenName, brokenValue, type Checked, fieldsOf, forbiddenKey, refused, wrongType } from './run-rules.ts';

/** Of two answers to one question nobody can say which is meant: neither is given. */
function answeredTwice({ resume }: AguiInput): ReturnType<typeof refused> | null {
  const answered = new Set<string>();
  for (const [index, { interruptId }] of (resume ?? []).entries()) {
    const path = `resume[${index}].interruptId`;
    if (answered.has(interruptId)) return refused(`${path} is answered twice`, { path });
    answered.add(interruptId);
  }
  return null;
}

/** Whether a parsed body is AG-UI's. The rules for messages hold for the turn that is made of it, not for its history. */
export function checkAguiInput(body: unknown): Checked<AguiInput> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return refused('the body must be a RunAgentInput object', { hint: 'Send what an AG-UI client sends.' });
  }
  const fields = fieldsOf(body);
  const sentence = brokenName(fields);
  if (sentence !== null) return refused(sentence);
  const key = forbiddenKey(fields);
  if (key !== null) return refused(`the key ${key} is not allowed`, { path: key });
  const parsed = AguiInput.safeParse(fields);
  if (!parsed.success) return wrongType(parsed.error);
  return brokenValue(parsed.data) ?? answeredTwice(parsed.data) ?? { ok: true, input: parsed.data };
}
