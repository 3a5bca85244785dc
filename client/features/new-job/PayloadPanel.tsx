/** Payload input: a form if the type has a schema, else or on request JSON. */

import { Button } from '../../ui/Button.tsx'
import { JsonEditor } from '../../ui/json/JsonEditor.tsx'
import { writePath } from '../../ui/json/path.ts'
import type { Draft, Read } from './draft/draft.ts'
import { SchemaForm } from './form/SchemaForm.tsx'
import type { Schema } from './schema/schema.ts'

export interface PayloadPanelProps {
  readonly schema: Schema | null
  readonly read: Read
  readonly showAll: boolean
  readonly serverError: string | null
  readonly onChange: (change: Partial<Draft>) => void
}

export function PayloadPanel({ schema, read, showAll, serverError, onChange }: PayloadPanelProps) {
  const { mode, value, text, error, problems } = read
  const isForm = mode === 'form' && schema !== null
  return (
    <section aria-label="Payload" className="rounded-lg bg-surface px-4 py-4 ring-1 ring-line sm:px-5">
      <div className="mb-2 flex items-center justify-between gap-3">
        <h2 className="font-semibold">Payload</h2>
        {schema !== null && (
          <Button
            isSmall
            weight="quiet"
            disabled={error !== null}
            onClick={() =>
              isForm
                ? onChange({ wantsText: true, payload: { by: 'text', text } })
                : onChange({ wantsText: false, payload: { by: 'form', value } })
            }
          >
            {isForm ? 'Edit as JSON' : 'Use form'}
          </Button>
        )}
      </div>
      {isForm ? (
        <SchemaForm
          schema={schema}
          value={value}
          problems={problems}
          showAll={showAll}
          onChange={(to) => onChange({ payload: { by: 'form', value: to } })}
        />
      ) : (
        <JsonEditor
          text={text}
          error={error}
          problems={problems.map(({ path, message }) => `${writePath('payload', path)} ${message}`)}
          onChange={(to) => onChange({ payload: { by: 'text', text: to } })}
        />
      )}
      {serverError !== null && (
        <p role="alert" data-tone="failed" className="mt-2 text-tone-ink text-xs">
          {serverError}
        </p>
      )}
    </section>
  )
}
