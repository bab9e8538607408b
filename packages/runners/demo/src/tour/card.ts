import { type Json, message, type RunResult } from '@rostra/runner-sdk';
import type { Bilingual, Language } from '../language.ts';
import { spoken } from '../speech.ts';
import { abouts, type Choice, choices, labels } from './choice.ts';

const title: Bilingual = { en: 'What shall I show you?', zh: '想看什么？' };
const next: Bilingual = {
  en: 'Choose what is next, or type 1 to 4.',
  zh: '接下来想看什么？请选择，或输入 1 到 4。',
};
const locales: Bilingual = { en: 'en-US', zh: 'zh-CN' };

/** Whoever presses it says what is written on it. */
function button(choice: Choice, language: Language): Json {
  const label = labels[choice][language];
  return { type: 'button', label, action: { type: 'send_message', text: label } };
}

function card(root: Json, language: Language): Json {
  return { status: 'info', locale: locales[language], root };
}

/** All choices, each with what it is. The list numbers them. */
function wholeCard(language: Language): Json {
  const children = choices.map((choice) => ({
    type: 'stack',
    gap: 'none',
    align: 'start',
    children: [button(choice, language), { type: 'text', content: abouts[choice][language], role: 'caption' }],
  }));
  const heading = { type: 'text', content: title[language], role: 'title' };
  return card(
    { type: 'stack', appearance: 'card', children: [heading, { type: 'list', ordered: true, children }] },
    language,
  );
}

/** The same in one row, for whoever has seen them. */
function shortCard(language: Language): Json {
  const children = choices.map((choice) => button(choice, language));
  return card({ type: 'stack', direction: 'horizontal', wrap: true, gap: 'small', children }, language);
}

/** A text that the choices stand below. The text names them, too: not every client draws cards. */
export function* withChoices(words: string, language: Language): Generator<RunResult> {
  yield* spoken(words);
  yield message(words, { ui_hints: wholeCard(language) });
}

/** The last words of a choice, with the way on to the others; `before` is what stands before them in their message. */
export function* withNext(words: string, language: Language, before = ''): Generator<RunResult> {
  const last = `${words}\n\n${next[language]}`;
  yield* spoken(last);
  // A whole message takes the place of the pieces that it was said in.
  yield message(`${before}${last}`, { ui_hints: shortCard(language) });
}
