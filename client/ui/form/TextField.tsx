/** Field with a one-line text input; an error replaces the hint. */
import { type ComponentProps, type ReactNode, useId } from 'react'
import { describedBy, Field, INPUT } from './Field.tsx'

export interface TextFieldProps extends Omit<ComponentProps<'input'>, 'id' | 'onChange' | 'value'> {
  readonly label: string
  readonly value: string
  readonly onText: (text: string) => void
  readonly help?: ReactNode
  readonly problem?: string | undefined
  /** Shown in addition to hint or error. */
  readonly notice?: string | undefined
  /** Right of the label. */
  readonly beside?: ReactNode
}

export function TextField(allProps: TextFieldProps) {
  const { label, value, onText, help, problem, notice, beside, className = '', ...props } = allProps
  const id = useId()
  const notes = { id, hint: problem === undefined ? help : undefined, problem: problem ?? null, notice }
  return (
    <Field label={label} beside={beside} isTall isAnnounced className={className} {...notes}>
      <input
        autoComplete="off"
        spellCheck={false}
        {...props}
        {...describedBy(notes)}
        value={value}
        onChange={({ target }) => onText(target.value)}
        className={INPUT}
      />
    </Field>
  )
}
