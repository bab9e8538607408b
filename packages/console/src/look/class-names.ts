import { type ClassValue, clsx } from 'clsx';
import { twMerge } from 'tailwind-merge';

/** Class names, the later ones over the earlier where both speak of the same thing. */
export function cn(...values: ClassValue[]): string {
  return twMerge(clsx(values));
}
