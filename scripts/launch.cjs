// `npm start` and `npm test` begin here. This file is ES5, so that a Node of any age parses it and can say what is
// wrong; everything newer lies behind the `require` at its end.
'use strict';

var version = process.versions.node.split('.').map(Number);
var major = version[0] || 0;
var minor = version[1] || 0;

if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write('Rostra needs Node 20.19 or newer; this is ' + process.version + '.\n');
  process.exitCode = 1;
} else {
  require('./launch/enter.cjs').enter(process.argv.slice(2));
}
