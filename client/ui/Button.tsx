/** Button in four weights; disabled with an explanation when the session lacks the required scope. */
import type { ComponentProps } from 'react'
import type { Scope } from '../../shared/scopes.ts'
import { missingScopeMessage, useHasScope } from '../session/use-session.ts'

export type Weight = 'plain' | 'quiet' | 'strong' | 'danger'

const WEIGHTS: Record<Weight, string> = {
  plain: 'bg-raised text-ink hover:bg-line',
  quiet: 'text-muted hover:bg-raised hover:text-ink',
  strong: 'bg-ink text-canvas hover:opacity-85',
  danger: 'bg-danger text-white hover:opacity-90',
}

export interface ButtonProps extends ComponentProps<'button'> {
  readonly weight?: Weight
  readonly isSmall?: boolean
  /** Scope that the action requires; undefined: none. */
  readonly needs?: Scope
}

export function Button({
  weight = 'plain',
  isSmall = false,
  needs,
  className = '',
  title,
  onClick,
  ...props
}: ButtonProps) {
  const size = isSmall ? 'h-7 px-2 text-xs' : 'h-8 px-3'
  const hasScope = useHasScope(needs ?? 'read')
  const missing = needs !== undefined && !hasScope ? needs : null
  return (
    <button
      type="button"
      {...props}
      // Unlike `disabled`, this keeps the button in the tab order and shows the tooltip.
      {...(missing === null ? {} : { 'aria-disabled': true })}
      title={missing === null ? title : missingScopeMessage(missing)}
      onClick={missing === null ? onClick : (event) => event.preventDefault()}
      className={`inline-flex shrink-0 items-center justify-center gap-1.5 whitespace-nowrap rounded-md font-medium transition-colors disabled:pointer-events-none disabled:opacity-50 aria-disabled:cursor-not-allowed aria-disabled:opacity-50 ${size} ${WEIGHTS[weight]} ${className}`}
    />
  )
}
