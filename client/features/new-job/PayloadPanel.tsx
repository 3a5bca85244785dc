/** The payload: a form where the type has a schema, JSON where it has none or where one would rather write it. */

import { Button } from '../../ui/Button.tsx'
import { writePath } from '../../ui/json/path.ts'
import type { Draft, Read } from './draft.ts'
import { SchemaForm } from './form/SchemaForm.tsx'
import { JsonEditor } from './JsonEditor.tsx'
import type { Schema } from './schema/schema.ts'

export interface PayloadPanelProps {
  readonly schema: Schema | null
  readonly read: Read
  readonly isAsked: boolean
  /** What the server said. */
  readonly refusal: string | null
  readonly onChange: (change: Partial<Draft>) => void
}

export function PayloadPanel({ schema, read, isAsked, refusal, onChange }: PayloadPanelProps) {
  const { mode, value, text, fault, problems } = read
  const isForm = mode === 'form' && schema !== null
  return (
    <section aria-label="Payload" className="rounded-lg bg-surface px-4 py-4 ring-1 ring-line sm:px-5">
      <div className="mb-2 flex items-center justify-between gap-3">
        <h2 className="font-semibold">Payload</h2>
        {schema !== null && (
          <Button
            isSmall
            weight="quiet"
            disabled={fault !== null}
            onClick={() =>
              isForm
                ? onChange({ wantsText: true, payload: { by: 'text', text } })
                : onChange({ wantsText: false, payload: { by: 'form', value } })
            }
          >
            {isForm ? 'Write it as JSON' : 'Use the form'}
          </Button>
        )}
      </div>
      {isForm ? (
        <SchemaForm
          schema={schema}
          value={value}
          problems={problems}
          isAsked={isAsked}
          onChange={(to) => onChange({ payload: { by: 'form', value: to } })}
        />
      ) : (
        <JsonEditor
          text={text}
          fault={fault}
          problems={problems.map(({ path, message }) => `${writePath('payload', path)} ${message}`)}
          onChange={(to) => onChange({ payload: { by: 'text', text: to } })}
        />
      )}
      {refusal !== null && (
        <p role="alert" data-tone="failed" className="mt-2 text-tone-ink text-xs">
          {refusal}
        </p>
      )}
    </section>
  )
}
