/** Payload form generated from the schema of the type. */
import { useMemo, useState } from 'react'
import type { Path, Schema } from '../schema/schema.ts'
import type { Problem } from '../schema/validate.ts'
import { type Form, FormContext } from './form-context.ts'
import { SchemaField } from './SchemaField.tsx'

export interface SchemaFormProps {
  readonly schema: Schema
  readonly value: unknown
  readonly problems: readonly Problem[]
  /** Show the problems of all fields, not only of visited ones: after a submit. */
  readonly showAll: boolean
  readonly onChange: (value: unknown) => void
}

const keyOf = (path: Path) => JSON.stringify(path)

export function SchemaForm({ schema, value, problems, showAll, onChange }: SchemaFormProps) {
  const [visited, setVisited] = useState<ReadonlySet<string>>(new Set())
  const form = useMemo<Form>(() => {
    const messages = new Map(problems.map(({ path, message }) => [keyOf(path), message] as const).reverse())
    return {
      root: schema,
      Draw: SchemaField,
      problemAt: (path) => (showAll || visited.has(keyOf(path)) ? (messages.get(keyOf(path)) ?? null) : null),
      onVisit: (path) => setVisited((known) => new Set([...known, keyOf(path)])),
    }
  }, [schema, problems, showAll, visited])
  return (
    <FormContext value={form}>
      <SchemaField schema={schema} path={[]} label="Payload" isRequired value={value} depth={0} onChange={onChange} />
    </FormContext>
  )
}
