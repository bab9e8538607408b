import type { Instrument, Sample } from './instrument.ts';

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}

function lineOf(name: string, { suffix = '', labels = {}, value }: Sample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(String(text))}"`);
  const braces = pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
  return `${name}${suffix}${braces} ${value}\n`;
}

/** All instruments in the text format of Prometheus. */
export function exposition(instruments: readonly Instrument[]): string {
  let text = '';
  for (const instrument of instruments) {
    const { name, help, type } = instrument;
    text += `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
    for (const sample of instrument.samples()) text += lineOf(name, sample);
  }
  return text;
}
