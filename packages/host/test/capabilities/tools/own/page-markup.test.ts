import { describe, expect, it } from 'vitest';
import { readable, textOf, titleOf } from '../../../../src/capabilities/tools/own/page-markup.ts';

describe('what is read of a page', () => {
  it('leaves out what nobody sees, closed or not, in any letters', () => {
    expect(readable('a<SCRIPT src=x>1</script >b<style>2</STYLE>c<!--3-->d')).toBe('abcd');
    expect(readable('a<scripty>b</scripty>')).toBe('a<scripty>b</scripty>');
    expect(readable('a<script>never closed <p>b')).toBe('a');
    expect(readable('a<!-- never closed')).toBe('a');
    expect(readable('İ<script>1</script>b')).toBe('İb');
  });

  it('has a title, or none', () => {
    expect(titleOf('<title>\n A &lt;b&gt; </TITLE>')).toBe('A <b>');
    expect(titleOf('<title>never closed')).toBe('');
    expect(titleOf('no title')).toBe('');
  });

  it('is its words, line by line, when nothing else can be made of it', () => {
    expect(textOf('<p>one</p> <p> two &amp; three</p><broken')).toBe('one\ntwo & three');
  });

  it('takes no longer than its length, however it is made (case 71)', () => {
    const pages = ['<', '<!--', '<script', '</script', '<title', '&amp', '<p>\n', '<script>x</script>'];
    for (const page of pages) {
      const started = performance.now();
      const html = page.repeat(1_000_000 / page.length);
      textOf(readable(html));
      titleOf(html);
      expect(performance.now() - started, page).toBeLessThan(2000);
    }
  });
});
