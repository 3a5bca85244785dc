/** A button, in the few weights there are. */
import type { ComponentProps } from 'react'

export type Weight = 'plain' | 'quiet' | 'strong' | 'danger'

const LOOK: Record<Weight, string> = {
  plain: 'bg-raised text-ink hover:bg-line',
  quiet: 'text-muted hover:bg-raised hover:text-ink',
  strong: 'bg-ink text-canvas hover:opacity-85',
  danger: 'bg-[oklch(0.55_0.2_26)] text-white hover:opacity-90',
}

export interface ButtonProps extends ComponentProps<'button'> {
  readonly weight?: Weight
  readonly isSmall?: boolean
}

export function Button({ weight = 'plain', isSmall = false, className = '', ...props }: ButtonProps) {
  const size = isSmall ? 'h-7 px-2 text-xs' : 'h-8 px-3'
  return (
    <button
      type="button"
      {...props}
      className={`inline-flex shrink-0 items-center justify-center gap-1.5 whitespace-nowrap rounded-md font-medium transition-colors disabled:pointer-events-none disabled:opacity-50 ${size} ${LOOK[weight]} ${className}`}
    />
  )
}
