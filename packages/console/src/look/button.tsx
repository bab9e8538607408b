import { Button as Base } from '@base-ui/react/button';
import { cva, type VariantProps } from 'class-variance-authority';
import type { ComponentProps } from 'react';
import { cn } from './class-names.ts';

const button = cva(
  'inline-flex items-center justify-center gap-1.5 rounded-lg font-medium select-none cursor-pointer transition-colors disabled:cursor-not-allowed disabled:opacity-50 data-[disabled]:cursor-not-allowed data-[disabled]:opacity-50',
  {
    variants: {
      tone: {
        primary: 'bg-accent text-accent-ink hover:brightness-110',
        plain: 'border border-line bg-raised text-ink hover:bg-soft',
        quiet: 'text-dim hover:bg-soft hover:text-ink',
        danger: 'border border-line bg-raised text-bad hover:bg-bad-soft',
      },
      size: {
        normal: 'min-h-9 px-3.5 py-1.5 text-sm',
        small: 'min-h-7 px-2.5 py-0.5 text-[13px]',
        icon: 'size-9',
        tiny: 'size-7',
      },
    },
    defaultVariants: { tone: 'plain', size: 'normal' },
  },
);

type ButtonProps = Omit<ComponentProps<typeof Base>, 'className'> &
  VariantProps<typeof button> & { className?: string };

export function Button({ tone, size, className, ...props }: ButtonProps) {
  return <Base type="button" className={cn(button({ tone, size }), className)} {...props} />;
}
