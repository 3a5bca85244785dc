/** Form field: label, input, hint, error and notice. */
import type { ReactNode } from 'react'

/** Style of all text inputs and text areas. */
export const INPUT =
  'w-full min-w-0 rounded-md bg-canvas px-2.5 py-1.5 text-ink ring-1 ring-line placeholder:text-faint aria-invalid:ring-failed'
export const SELECT = `${INPUT} h-8 py-0`

/** Texts below an input. */
interface Notes {
  readonly id: string
  readonly hint?: ReactNode
  readonly problem?: string | null
  /** Shown in addition to hint or problem. */
  readonly notice?: string | undefined
  /** Screen readers announce the problem as soon as it appears. */
  readonly isAnnounced?: boolean
}

export interface FieldProps extends Notes {
  readonly label: string
  readonly isOptional?: boolean
  /** Right of the label. */
  readonly beside?: ReactNode
  /** The label is as high as a small button, so that fields with and without `beside` align. */
  readonly isTall?: boolean
  readonly className?: string
  /** The input, with the attributes from `describedBy`. */
  readonly children: ReactNode
}

export function Field({
  label,
  isOptional = false,
  beside,
  isTall = false,
  className = '',
  children,
  ...notes
}: FieldProps) {
  return (
    <div className={`grid content-start gap-1 ${className}`}>
      <div className={`flex items-center justify-between gap-2 ${isTall ? 'min-h-7' : ''}`}>
        <label htmlFor={notes.id} className="flex min-w-0 items-baseline gap-2 font-medium">
          <span className="wrap-anywhere">{label}</span>
          {isOptional && <span className="font-normal text-faint text-xs">optional</span>}
        </label>
        {beside}
      </div>
      {children}
      <FieldNotes {...notes} />
    </div>
  )
}

export function FieldNotes({ id, hint, problem = null, notice, isAnnounced = false }: Notes) {
  return (
    <>
      {problem !== null && (
        <p
          id={`${id}-problem`}
          {...(isAnnounced && { role: 'alert' })}
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
      {notice !== undefined && (
        <p id={`${id}-notice`} role="status" data-tone="pending" className="text-tone-ink text-xs wrap-anywhere">
          {notice}
        </p>
      )}
    </>
  )
}

/** Attributes that connect an input to its notes. */
export function describedBy({ id, hint, problem = null, notice }: Notes) {
  const ids = [
    problem !== null && `${id}-problem`,
    hint !== undefined && hint !== null && `${id}-hint`,
    notice !== undefined && `${id}-notice`,
  ]
  const described = ids.filter((one) => one !== false).join(' ')
  return { id, 'aria-invalid': problem !== null, ...(described !== '' && { 'aria-describedby': described }) }
}
