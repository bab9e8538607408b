import type { Heard, Scripted } from './scripted-answer.ts';

export type Fields = Record<string, unknown>;

export interface FakeFailure {
  readonly status: number;
  readonly kind: 'key' | 'model' | 'overflow' | 'told';
  readonly message: string;
}

/** A stream: what comes first, the pieces that may be slow or break off, and the end. Each text is one event. */
export interface FakeStream {
  readonly open: readonly string[];
  readonly pieces: readonly (readonly string[])[];
  readonly close: readonly string[];
}

/** How one provider's interface says what a fake model heard and does. */
export interface Dialect {
  hear(body: Fields, path: string): Heard;
  whole(answer: Scripted, about: { model: string; id: string }): Fields;
  stream(answer: Scripted, about: { model: string; id: string }): FakeStream;
  failure(failure: FakeFailure): Fields;
}

export function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Four characters are about a token; an image is 256, however many bytes it has. */
export function estimate(body: unknown): number {
  let images = 0;
  const written = JSON.stringify(body, (_key, value: unknown) => {
    if (typeof value !== 'string' || value.length < 256 || !/^(data:[^,]*,)?[A-Za-z0-9+/=_-]+$/.test(value))
      return value;
    images += 1;
    return '';
  });
  return Math.ceil(written.length / 4) + images * 256;
}
