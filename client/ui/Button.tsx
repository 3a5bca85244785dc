/** A button, in the few weights there are. One whose act would be refused says so instead of trying. */
import type { ComponentProps } from 'react'
import type { Scope } from '../../shared/scopes.ts'
import { lacks, useMay } from '../session/use-session.ts'

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
  /** What the act behind it needs. Every token that gets in here can read. */
  readonly needs?: Scope
}

export function Button({
  weight = 'plain',
  isSmall = false,
  needs = 'read',
  className = '',
  title,
  onClick,
  ...props
}: ButtonProps) {
  const size = isSmall ? 'h-7 px-2 text-xs' : 'h-8 px-3'
  const may = useMay(needs)
  return (
    <button
      type="button"
      {...props}
      // Unlike a disabled one it keeps its place in the order of the keys, and can say why.
      {...(may ? {} : { 'aria-disabled': true })}
      title={may ? title : lacks(needs)}
      onClick={may ? onClick : (event) => event.preventDefault()}
      className={`inline-flex shrink-0 items-center justify-center gap-1.5 whitespace-nowrap rounded-md font-medium transition-colors disabled:pointer-events-none disabled:opacity-50 aria-disabled:cursor-not-allowed aria-disabled:opacity-50 ${size} ${LOOK[weight]} ${className}`}
    />
  )
}
