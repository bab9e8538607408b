import { limits } from '@rostra/protocol/wire/limits';

/** The language that the environment of a process names, as `zh-CN`; null where it names none. */
export function localeIn({ LC_ALL, LC_MESSAGES, LANG }: Readonly<Record<string, string | undefined>>): string | null {
  const [named = ''] = (LC_ALL || LC_MESSAGES || LANG || '').split(/[.@]/);
  return /^[a-z]{2,3}([_-]\w+)*$/i.test(named) ? named.replaceAll('_', '-').slice(0, limits.locale_chars) : null;
}
