#!/usr/bin/env node
// `npx rostra …` in a checkout. It starts what was built and builds nothing itself: that is what `npm start` is for.
'use strict';

const { existsSync } = require('node:fs');
const { join, resolve } = require('node:path');
const { pathToFileURL } = require('node:url');

const cli = join(__dirname, '../dist/cli.js');
const launcher = resolve(__dirname, '../../../scripts/launch');
const args = process.argv.slice(2);

/** A host wants flags of its own for Node, and those are given to a process when it begins. */
async function startHost() {
  const { runChild } = await import(pathToFileURL(join(launcher, 'child.mjs')).href);
  const { hostFlags } = await import(pathToFileURL(join(launcher, 'host-flags.mjs')).href);
  const { code } = await runChild(process.execPath, [...hostFlags, cli, ...args], { cwd: process.cwd() });
  process.exitCode = code;
}

if (!existsSync(cli)) {
  const root = resolve(__dirname, '../../..');
  process.stderr.write(
    `Rostra is not built yet.\n→ Run \`npm run build\` in ${root}, or \`npm start\`, which also starts it.\n`,
  );
  process.exitCode = 1;
} else if (args[0] === 'start') {
  void startHost();
} else {
  void import(pathToFileURL(cli).href);
}
