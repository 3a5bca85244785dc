/** JSON editor for the payload, with the position of the first syntax error. */
import { useRef } from 'react'
import { Button } from '../Button.tsx'
import { INPUT } from '../form/Field.tsx'
import type { JsonError } from './json-error.ts'

export interface JsonEditorProps {
  readonly text: string
  readonly error: JsonError | null
  /** Schema violations of valid JSON. */
  readonly problems: readonly string[]
  readonly onChange: (text: string) => void
}

export function JsonEditor({ text, error, problems, onChange }: JsonEditorProps) {
  const area = useRef<HTMLTextAreaElement>(null)

  function goToError(): void {
    area.current?.focus()
    if (error) area.current?.setSelectionRange(error.offset, error.offset + 1)
  }

  return (
    <div className="grid gap-1.5">
      <textarea
        ref={area}
        id="payload-json"
        aria-label="Payload as JSON"
        aria-invalid={error !== null || problems.length > 0}
        aria-describedby="payload-json-state"
        value={text}
        rows={12}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => onChange(event.target.value)}
        className={`${INPUT} resize-y font-mono text-xs/5`}
      />
      <div className="flex min-h-7 items-start justify-between gap-3">
        <div id="payload-json-state" className="min-w-0 text-xs/5">
          {error ? (
            <button
              type="button"
              onClick={goToError}
              data-tone="failed"
              data-testid="problem"
              className="text-left text-tone-ink"
            >
              Line {error.line}, column {error.column}: {error.message}
            </button>
          ) : problems.length > 0 ? (
            <ul data-tone="failed" className="text-tone-ink">
              {problems.map((problem) => (
                <li key={problem} data-testid="problem" className="wrap-anywhere">
                  {problem}
                </li>
              ))}
            </ul>
          ) : (
            <span className="text-muted">Valid JSON</span>
          )}
        </div>
        <Button
          isSmall
          weight="quiet"
          disabled={error !== null}
          onClick={() => onChange(JSON.stringify(JSON.parse(text), null, 2))}
        >
          Format
        </Button>
      </div>
    </div>
  )
}
