/** A form for a payload, made from the schema of its type. */
import { useMemo, useState } from 'react'
import type { Problem } from '../schema/check.ts'
import type { Path, Schema } from '../schema/schema.ts'
import { type Form, FormContext } from './form-context.ts'
import { SchemaField } from './SchemaField.tsx'

export interface SchemaFormProps {
  readonly schema: Schema
  readonly value: unknown
  readonly problems: readonly Problem[]
  /** Somebody wanted to send it: then everything that is wrong is said. */
  readonly isAsked: boolean
  readonly onChange: (value: unknown) => void
}

const keyOf = (path: Path) => JSON.stringify(path)

export function SchemaForm({ schema, value, problems, isAsked, onChange }: SchemaFormProps) {
  const [visited, setVisited] = useState<ReadonlySet<string>>(new Set())
  const form = useMemo<Form>(() => {
    const said = new Map(problems.map(({ path, message }) => [keyOf(path), message] as const).reverse())
    return {
      root: schema,
      Draw: SchemaField,
      problemAt: (path) => (isAsked || visited.has(keyOf(path)) ? (said.get(keyOf(path)) ?? null) : null),
      onVisit: (path) => setVisited((known) => new Set([...known, keyOf(path)])),
    }
  }, [schema, problems, isAsked, visited])
  return (
    <FormContext value={form}>
      <SchemaField schema={schema} path={[]} label="Payload" isRequired value={value} depth={0} onChange={onChange} />
    </FormContext>
  )
}
