/** Number field. Text that is not a number is kept as entered. */
import { useState } from 'react'
import { describedBy, Field, INPUT } from '../../../ui/form/Field.tsx'
import { numberOf, type Schema } from '../schema/schema.ts'
import { type DrawnProps, idOf, useForm } from './form-context.ts'

export function NumberField({ path, label, isRequired, value, schema, hint, onChange }: DrawnProps) {
  const { problemAt, onVisit } = useForm()
  const [text, setText] = useState(String(value ?? ''))
  const id = idOf(path)
  const problem = problemAt(path)
  const fullHint = [hint, rangeOf(schema)].filter((one) => one !== undefined).join(' · ') || undefined
  // "1." and "1.0" both mean 1: the text stays as entered while it equals the value.
  const shown = Object.is(read(text), value) ? text : String(value ?? '')
  return (
    <Field id={id} label={label} isOptional={!isRequired} hint={fullHint} problem={problem}>
      <input
        {...describedBy({ id, hint: fullHint, problem })}
        type="text"
        inputMode="decimal"
        autoComplete="off"
        value={shown}
        onBlur={() => onVisit(path)}
        onChange={(event) => {
          setText(event.target.value)
          onChange(read(event.target.value))
        }}
        className={INPUT}
      />
    </Field>
  )
}

function read(text: string): number | string | undefined {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  return Number.isFinite(Number(trimmed)) ? Number(trimmed) : text
}

function rangeOf(schema: Schema): string | undefined {
  const [least, most] = [numberOf(schema.minimum), numberOf(schema.maximum)]
  // Generated schemas contain the bounds of the integer type, which are no useful hint.
  const isUseful = (bound: number | undefined) => bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER
  if (isUseful(least) && isUseful(most)) return `${least} to ${most}`
  if (isUseful(least)) return `at least ${least}`
  return isUseful(most) ? `at most ${most}` : undefined
}
