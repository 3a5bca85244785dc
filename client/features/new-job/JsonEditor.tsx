/** A payload as JSON text, with the place of the first fault. */
import { useRef } from 'react'
import { Button } from '../../ui/Button.tsx'
import type { Fault } from './json-fault.ts'
import { INPUT } from './Labelled.tsx'

export interface JsonEditorProps {
  readonly text: string
  readonly fault: Fault | null
  /** What is wrong although it is JSON. */
  readonly problems: readonly string[]
  readonly onChange: (text: string) => void
}

export function JsonEditor({ text, fault, problems, onChange }: JsonEditorProps) {
  const area = useRef<HTMLTextAreaElement>(null)

  function goToFault(): void {
    area.current?.focus()
    if (fault) area.current?.setSelectionRange(fault.offset, fault.offset + 1)
  }

  return (
    <div className="grid gap-1.5">
      <textarea
        ref={area}
        id="payload-json"
        aria-label="Payload as JSON"
        aria-invalid={fault !== null || problems.length > 0}
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
          {fault ? (
            <button
              type="button"
              onClick={goToFault}
              data-tone="failed"
              data-testid="problem"
              className="text-left text-tone-ink"
            >
              Line {fault.line}, column {fault.column}: {fault.message}
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
          disabled={fault !== null}
          onClick={() => onChange(JSON.stringify(JSON.parse(text), null, 2))}
        >
          Format
        </Button>
      </div>
    </div>
  )
}
