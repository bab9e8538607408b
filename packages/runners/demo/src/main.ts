import { serve } from '@rostra/runner-sdk';
import { demoRunner } from './runner.ts';

const demo = demoRunner({
  now: () => new Date(),
  roll: (sides) => 1 + Math.floor(Math.random() * sides),
  exit: (code) => process.exit(code),
});
void serve([demo]);
