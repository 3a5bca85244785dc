/** A labelled line of text, with what is worth knowing below it and what is wrong with it in place of that. */
import { type ComponentProps, type ReactNode, useId } from 'react'

export interface TextFieldProps extends Omit<ComponentProps<'input'>, 'id' | 'onChange' | 'value'> {
  readonly label: string
  readonly value: string
  readonly onText: (text: string) => void
  readonly help?: ReactNode
  readonly problem?: string | undefined
  /** What has happened to it; shown beside whatever else there is to say. */
  readonly notice?: string | undefined
  /** Right of the label. */
  readonly beside?: ReactNode
}

export function TextField(allProps: TextFieldProps) {
  const { label, value, onText, help, problem, notice, beside, className = '', ...props } = allProps
  const id = useId()
  const hasWords = problem !== undefined || help !== undefined
  return (
    <div className={`grid grid-cols-[minmax(0,1fr)_auto] content-start items-center gap-x-2 gap-y-1 ${className}`}>
      <label htmlFor={id} className="flex min-h-7 items-center font-medium">
        {label}
      </label>
      <input
        autoComplete="off"
        spellCheck={false}
        {...props}
        id={id}
        value={value}
        onChange={({ target }) => onText(target.value)}
        aria-invalid={problem !== undefined}
        aria-describedby={[hasWords && `${id}-words`, notice && `${id}-notice`].filter(Boolean).join(' ') || undefined}
        className={`${INPUT} col-span-2`}
      />
      {beside !== undefined && <span className="col-start-2 row-start-1">{beside}</span>}
      {hasWords && (
        <p
          id={`${id}-words`}
          {...(problem === undefined ? {} : { role: 'alert', 'data-tone': 'failed' })}
          className={`col-span-2 text-xs wrap-anywhere ${problem === undefined ? 'text-muted' : 'text-tone-ink'}`}
        >
          {problem ?? help}
        </p>
      )}
      {notice !== undefined && (
        <p
          id={`${id}-notice`}
          role="status"
          data-tone="pending"
          className="col-span-2 text-tone-ink text-xs wrap-anywhere"
        >
          {notice}
        </p>
      )}
    </div>
  )
}

export const INPUT =
  'h-8 w-full min-w-0 rounded-md bg-canvas px-2.5 text-ink ring-1 ring-line placeholder:text-faint aria-invalid:ring-[var(--failed)]'
