import { serve } from '@rostra/runner-sdk';
import { runner } from './runner.ts';

await serve([runner]);
