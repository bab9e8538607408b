import { wellFormed } from '../chance.ts';
import type { FuzzCase, Target } from '../target.ts';

export const signedUrls: Target = {
  name: 'signed urls',
  fault: ({ path }, status, { attachment }) =>
    status < 300 && path !== attachment ? 'the bytes were given for a url that nobody signed' : null,
  make(chance, { attachment, key }): FuzzCase {
    const url = new URL(attachment, 'http://host');
    const names = [...url.searchParams.keys()];
    const changes = 1 + chance.below(2);
    for (let done = 0; done < changes; done += 1) {
      const name = chance.of(names);
      const value = url.searchParams.get(name) ?? '';
      const kind = chance.below(6);
      if (kind === 0) url.searchParams.delete(name);
      else if (kind === 1) url.searchParams.append(name, value);
      else if (kind === 2) url.searchParams.set(name, chance.word());
      else if (kind === 3) url.searchParams.set(name, value.slice(0, chance.below(value.length + 1)));
      else if (kind === 4) url.searchParams.set(chance.word(), chance.word());
      else url.pathname = url.pathname.replace(/[^/]+$/, () => encodeURIComponent(wellFormed(chance.word())));
    }
    const method = chance.of(['GET', 'GET', 'HEAD', 'POST', 'DELETE']);
    const range = chance.is(30)
      ? { range: chance.of(['bytes=0-0', 'bytes=5-1', 'bytes=-', 'bytes=-9999999999', 'x']) }
      : {};
    const auth = chance.is(20) ? { authorization: `Bearer ${key}` } : {};
    return { method, path: `${url.pathname}${url.search}`, headers: { ...range, ...auth }, body: null };
  },
};
