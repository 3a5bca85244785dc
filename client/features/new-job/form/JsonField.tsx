/** JSON editor for a part of the payload without a matching field. */
import { useState } from 'react'
import { describedBy, Field, INPUT } from '../../../ui/form/Field.tsx'
import { findJsonError } from '../../../ui/json/json-error.ts'
import { InvalidJson } from '../schema/invalid-json.ts'
import { type DrawnProps, idOf, useForm } from './form-context.ts'

export function JsonField({ path, label, isRequired, value, hint, onChange }: DrawnProps) {
  const { problemAt, onVisit } = useForm()
  const [entered, setEntered] = useState(() => ({ text: write(value), value }))
  // The value changes without an edit when an earlier item of the array is removed.
  const text = entered.value === value ? entered.text : write(value)
  const id = idOf(path)
  const problem = problemAt(path)
  const fullHint = [hint, 'as JSON'].filter((one) => one !== undefined).join(' · ')

  function change(to: string): void {
    const read = readJson(to)
    setEntered({ text: to, value: read })
    onChange(read)
  }

  return (
    <Field id={id} label={label} isOptional={!isRequired} hint={fullHint} problem={problem}>
      <textarea
        {...describedBy({ id, hint: fullHint, problem })}
        value={text}
        rows={Math.min(8, Math.max(2, text.split('\n').length))}
        spellCheck={false}
        onBlur={() => onVisit(path)}
        onChange={(event) => change(event.target.value)}
        className={`${INPUT} font-mono text-xs/5`}
      />
    </Field>
  )
}

function readJson(text: string): unknown {
  if (text.trim() === '') return undefined
  const error = findJsonError(text)
  return error
    ? new InvalidJson(text, `line ${error.line}, column ${error.column}: ${error.message}`)
    : JSON.parse(text)
}

function write(value: unknown): string {
  if (value instanceof InvalidJson) return value.text
  return value === undefined ? '' : JSON.stringify(value, null, 2)
}
