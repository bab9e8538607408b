import { serve } from '@rostra/runner-sdk';
import { localAgent } from './runner.ts';

void serve([localAgent({ now: () => Date.now() })]);
