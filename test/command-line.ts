import { parseArgs } from 'node:util';

interface Option {
  readonly type: 'string' | 'boolean';
  readonly default?: string | boolean;
  /** What it is for, in a few words. */
  readonly about: string;
}

type Options = Readonly<Record<string, Option>>;

type Values<O extends Options> = {
  [Name in keyof O]: O[Name]['type'] extends 'boolean'
    ? boolean
    : O[Name] extends { default: string }
      ? string
      : string | undefined;
};

interface CommandLine<O extends Options> {
  readonly values: Values<O>;
  /** An option that is a whole number, and no less than that. */
  whole(name: keyof O & string, least?: number): number;
  /** Ends the command: what was typed cannot be done. */
  refuse(why: string): never;
}

/** What was typed after `npm run NAME --`; `--help` prints what could have been. */
export function commandLine<O extends Options>(name: string, about: string, options: O): CommandLine<O> {
  const refuse = (why: string): never => {
    process.stderr.write(`npm run ${name}: ${why}\nWhat it takes: npm run ${name} -- --help\n`);
    process.exit(2);
  };
  const values = read({ ...options, help: { type: 'boolean', about: 'prints this' } }, refuse);
  if (values.help === true) {
    process.stdout.write(helpText(name, about, options));
    process.exit(0);
  }
  return {
    values: values as Values<O>,
    whole(option, least = 0) {
      const number = Number(values[option]);
      if (Number.isSafeInteger(number) && number >= least) return number;
      return refuse(`--${option} takes a whole number of at least ${least}, not "${values[option]}".`);
    },
    refuse,
  };
}

function read(options: Options, refuse: (why: string) => never): Record<string, unknown> {
  try {
    return { ...parseArgs({ options, strict: true }).values };
  } catch (error) {
    // Its first sentence says what is wrong, the rest how Node would like to be asked.
    return refuse(`${(error as Error).message.split('. ')[0]}.`);
  }
}

export function helpText(name: string, about: string, options: Options): string {
  const rows = Object.entries(options).map(([option, { type, default: usual, about: what }]) => {
    const left = type === 'boolean' ? `--${option}` : `--${option} …`;
    return [left, typeof usual === 'string' ? `${what} (${usual})` : what] as const;
  });
  const width = Math.max(...rows.map(([left]) => left.length));
  const lines = rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
  return `${about}\n\n  npm run ${name} -- [options]\n\n${lines.join('\n')}\n`;
}
