/** A part of the payload that no field can show, as JSON. */
import { useState } from 'react'
import { faultOf } from '../json-fault.ts'
import { INPUT, Labelled, notes } from '../Labelled.tsx'
import { Unparsed } from '../schema/unparsed.ts'
import { type DrawnProps, idOf, useForm } from './form-context.ts'

export function JsonField({ path, label, isRequired, value, hint, onChange }: DrawnProps) {
  const { problemAt, onVisit } = useForm()
  const [typed, setTyped] = useState(() => ({ text: write(value), value }))
  // Items of a list move up when one before them is taken out.
  const text = typed.value === value ? typed.text : write(value)
  const id = idOf(path)
  const problem = problemAt(path)
  const said = [hint, 'as JSON'].filter((one) => one !== undefined).join(' · ')

  function change(to: string): void {
    const read = readJson(to)
    setTyped({ text: to, value: read })
    onChange(read)
  }

  return (
    <Labelled id={id} label={label} isOptional={!isRequired} hint={said} problem={problem}>
      <textarea
        {...notes({ id, hint: said, problem })}
        value={text}
        rows={Math.min(8, Math.max(2, text.split('\n').length))}
        spellCheck={false}
        onBlur={() => onVisit(path)}
        onChange={(event) => change(event.target.value)}
        className={`${INPUT} font-mono text-xs/5`}
      />
    </Labelled>
  )
}

function readJson(text: string): unknown {
  if (text.trim() === '') return undefined
  const fault = faultOf(text)
  return fault ? new Unparsed(text, `line ${fault.line}, column ${fault.column}: ${fault.message}`) : JSON.parse(text)
}

function write(value: unknown): string {
  if (value instanceof Unparsed) return value.text
  return value === undefined ? '' : JSON.stringify(value, null, 2)
}
