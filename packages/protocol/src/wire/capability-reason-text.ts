import type { CapabilityReason } from './reason.ts';
import type { ReasonText } from './reason-text.ts';

/** `details.reason` of what goes wrong with models, tools and documents. */
export const capabilityReasonTexts: Readonly<Record<CapabilityReason, ReasonText>> = {
  ADDRESS_REFUSED: [
    'The address may not be read.',
    'It is not of the public internet, not http or https, or leads to such an address.',
    'Name a public page.',
  ],
  CONTEXT_OVERFLOW: [
    'The model cannot read so much.',
    'What it was sent is longer than its context window.',
    'Send less, or use a model that reads more; `context_window` of the model tells agents when to shorten.',
  ],
  DOCUMENT_TOO_LARGE: [
    'The document is too large.',
    'It has more bytes, pages or text than are read, or grows too much when it is unpacked.',
    'Divide it.',
  ],
  DOCUMENT_UNREADABLE: [
    'The document cannot be read.',
    'It is damaged, protected, or not what its name and type say.',
    'Save it anew, as PDF, DOCX, HTML, Markdown or text.',
  ],
  KNOWLEDGE_BASE_EXISTS: [
    'There is a knowledge base of this id.',
    'It was made before.',
    'Choose another id, or change that base.',
  ],
  MODEL_EXISTS: ['There is a model of this id.', 'It was made before.', 'Choose another id, or change that model.'],
  MODEL_FAILED: [
    'The model’s provider failed.',
    'It answered with an error of its own, or with what is no answer.',
    'Try again; `POST /api/v1/models/{id}/test` says what it answers.',
  ],
  MODEL_KEY_MISSING: [
    'There is no key for the model.',
    'Neither the model nor the variable of its provider has one.',
    'Set the variable that the message names, or give the model an `api_key`.',
  ],
  MODEL_KEY_REFUSED: [
    'The provider refused the key.',
    'It is wrong, has ended, or is not for this model.',
    'Check the variable or the `api_key` that the message names.',
  ],
  MODEL_NOT_FOUND: [
    'There is no such model.',
    'The host or the provider does not know it by this name.',
    'Look at `rostra models list`, and at the provider’s own list.',
  ],
  MODEL_RATE_LIMITED: [
    'The provider takes no more calls now.',
    'Its limit or the credit of the key is used up.',
    'Wait, or configure a second model to fall back to.',
  ],
  MODEL_READ_ONLY: [
    'The model cannot be changed here.',
    'It is named in `rostra.yaml`, or comes from the environment.',
    'Change it there and run `rostra reload`, or make a model of another id.',
  ],
  MODEL_TIMEOUT: [
    'The model said nothing for too long.',
    'Its provider is slow, or the connection broke silently.',
    'Try again, or give the model a longer `timeout`.',
  ],
  MODEL_UNREACHABLE: [
    'The model’s provider cannot be reached.',
    'Its server is down, its address wrong, or the network does not lead there.',
    'Check `base_url` and whether the server runs.',
  ],
  SECRETS_LOCKED: [
    'What is kept secret cannot be read.',
    '`secret.key` or `ROSTRA_SECRET_KEY` is not the one that sealed it, or it was altered.',
    'Put the key back, or give the secrets again.',
  ],
  TOOL_ARGUMENTS: [
    'The tool does not take these parameters.',
    'They do not fit its schema.',
    'Read the schema by `tools.get_detail`, and call again.',
  ],
  TOOL_DENIED: [
    'The tool may not be used.',
    'Its policy denies it, or a person did, or nobody answered in time.',
    'Change the policy of the tool or of the agent.',
  ],
  TOOL_FAILED: [
    'The tool failed.',
    'It or its server answered with an error.',
    'Read the message; calling again may help.',
  ],
  TOOL_SERVER_EXISTS: [
    'There is a tool server of this id.',
    'It was made before.',
    'Choose another id, or change that server.',
  ],
  TOOL_SERVER_FAILED: [
    'The tool server cannot be used.',
    'It did not start, cannot be reached, refused the host, or does not speak the protocol.',
    'Look at `rostra tools servers`; it is tried again by itself.',
  ],
  TOOL_SERVER_READ_ONLY: [
    'The tool server cannot be changed here.',
    'It is named in `rostra.yaml`.',
    'Change the file and run `rostra reload`, or make a server of another id.',
  ],
  TOOL_TIMEOUT: [
    'The tool took too long.',
    'It did not answer within the time of its server or of the call.',
    'Ask it for less, or give the server a longer `timeout`.',
  ],
};
