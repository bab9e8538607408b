import { serve } from '@rostra/runner-sdk';
import { localAgent } from './runner.ts';

await serve([localAgent({ now: () => Date.now() })]);
