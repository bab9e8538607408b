import { PipelineQuery } from '@rostra/protocol/run-api/pipeline-query';
import { ApiError } from '@rostra/protocol/wire/api-error';

export function readQuery(value: unknown): PipelineQuery {
  const { data, error } = PipelineQuery.safeParse(value);
  if (data !== undefined) return data;
  const [issue] = error.issues;
  const path = issue?.path.join('.') ?? '';
  throw new ApiError('invalid_argument', `this is no query at "${path}": ${issue?.message ?? ''}`, {
    details: { path },
  });
}

/** A name that a platform gave, as a text. */
export function nameOf(id: string | number | null): string | null {
  return id === null ? null : String(id);
}

/** What the platform calls the message; a pipeline writes −1 where it has no name. */
export function messageIdOf({ message_chain }: PipelineQuery): string | null {
  const found = message_chain?.find(({ type }) => type === 'Source')?.id;
  return (typeof found === 'string' && found !== '') || (typeof found === 'number' && found !== -1)
    ? String(found)
    : null;
}
