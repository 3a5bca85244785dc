/** A number; what is none yet stays as it was typed. */
import { useState } from 'react'
import { INPUT, Labelled, notes } from '../Labelled.tsx'
import { numberOf, type Schema } from '../schema/schema.ts'
import { type DrawnProps, idOf, useForm } from './form-context.ts'

export function NumberField({ path, label, isRequired, value, schema, hint, onChange }: DrawnProps) {
  const { problemAt, onVisit } = useForm()
  const [text, setText] = useState(String(value ?? ''))
  const id = idOf(path)
  const problem = problemAt(path)
  const said = [hint, rangeOf(schema)].filter((one) => one !== undefined).join(' · ') || undefined
  // "1." and "1.0" are both the number 1: what was typed stays, as long as it means the value.
  const shown = Object.is(read(text), value) ? text : String(value ?? '')
  return (
    <Labelled id={id} label={label} isOptional={!isRequired} hint={said} problem={problem}>
      <input
        {...notes({ id, hint: said, problem })}
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
    </Labelled>
  )
}

function read(text: string): number | string | undefined {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  return Number.isFinite(Number(trimmed)) ? Number(trimmed) : text
}

function rangeOf(schema: Schema): string | undefined {
  const [least, most] = [numberOf(schema.minimum), numberOf(schema.maximum)]
  // Schemas made from types of a language name the limits of its integers: no news to anybody.
  const isNews = (bound: number | undefined) => bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER
  if (isNews(least) && isNews(most)) return `${least} to ${most}`
  if (isNews(least)) return `at least ${least}`
  return isNews(most) ? `at most ${most}` : undefined
}
