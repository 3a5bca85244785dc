/** A field of a form with its name, a hint and what is wrong with it. */
import type { ReactNode } from 'react'

export const INPUT =
  'w-full min-w-0 rounded-md bg-canvas px-2.5 py-1.5 ring-1 ring-line placeholder:text-faint aria-invalid:ring-[oklch(0.6_0.2_26)]'

export interface LabelledProps {
  readonly id: string
  readonly label: string
  readonly isOptional?: boolean
  readonly hint?: ReactNode
  readonly problem?: string | null
  readonly children: ReactNode
}

export function Labelled({ id, label, isOptional = false, hint, problem = null, children }: LabelledProps) {
  return (
    <div className="grid content-start gap-1">
      <label htmlFor={id} className="flex items-baseline gap-2 font-medium">
        <span className="wrap-anywhere">{label}</span>
        {isOptional && <span className="font-normal text-faint text-xs">optional</span>}
      </label>
      {children}
      <Notes id={id} hint={hint} problem={problem} />
    </div>
  )
}

/** What a field is described by: see `notes`. */
export function Notes({ id, hint, problem = null }: Pick<LabelledProps, 'id' | 'hint' | 'problem'>) {
  return (
    <>
      {problem !== null && (
        <p
          id={`${id}-problem`}
          data-tone="failed"
          data-testid="problem"
          className="text-tone-ink text-xs wrap-anywhere"
        >
          {problem}
        </p>
      )}
      {hint !== undefined && hint !== null && (
        <p id={`${id}-hint`} className="text-muted text-xs wrap-anywhere">
          {hint}
        </p>
      )}
    </>
  )
}

/** The attributes that tie an input to its notes. */
export function notes({ id, hint, problem = null }: Pick<LabelledProps, 'id' | 'hint' | 'problem'>) {
  const ids = [problem !== null && `${id}-problem`, hint !== undefined && hint !== null && `${id}-hint`]
  const described = ids.filter((one) => one !== false).join(' ')
  return { id, 'aria-invalid': problem !== null, ...(described !== '' && { 'aria-describedby': described }) }
}
