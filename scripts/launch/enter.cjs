'use strict';

/** The step from the ES5 of `launch.cjs` to modules: an `import()` there would keep an old Node from parsing it. */
module.exports = {
  /** @param {string[]} argv */
  enter: (argv) => import('./command.mjs').then(({ run }) => run(argv)),
};
