import { driverMutants } from './driver-mutants.ts';
import type { Mutant } from './mutant.ts';
import { outputMutants } from './output-mutants.ts';
import { restartMutants } from './restart-mutants.ts';
import { transactionMutants } from './transaction-mutants.ts';
import { turnMutants } from './turn-mutants.ts';

export const mutants: readonly Mutant[] = [
  ...turnMutants,
  ...outputMutants,
  ...transactionMutants,
  ...driverMutants,
  ...restartMutants,
];

export function findMutant(id: string): Mutant {
  const mutant = mutants.find((each) => each.id === id);
  if (mutant === undefined)
    throw new Error(`there is no mutant ${id}; there are ${mutants.map((each) => each.id).join(', ')}`);
  return mutant;
}
