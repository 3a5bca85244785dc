/** Redaction tab: rules for values that this browser masks. */
import { type FormEvent, useState } from 'react'
import { REDACTED, redact, ruleProblem } from '../../../shared/redaction/redaction.ts'
import { saveRedactionRules, useRedactionRules } from '../../lib/redaction.ts'
import { toasts } from '../../lib/toasts.ts'
import { Button } from '../../ui/Button.tsx'
import { TextField } from '../../ui/form/TextField.tsx'
import { Panel } from '../../ui/Panel.tsx'

const EXAMPLE = { user: 'ada', card: { number: '4111 1111 1111 1111', cvc: '123' }, contacts: [{ password: 'x' }] }

export function RedactionTab() {
  const rules = useRedactionRules()
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string>()

  function save(next: readonly string[]) {
    if (!saveRedactionRules(next))
      toasts.showError('This browser blocks storage. The rules apply until the page is reloaded.')
  }

  function add(event: FormEvent) {
    event.preventDefault()
    const rule = text.trim()
    const error = rules.includes(rule) ? 'This rule already exists.' : ruleProblem(rule)
    setProblem(error ?? undefined)
    if (error !== null) return
    save([...rules, rule])
    setText('')
  }

  return (
    <Panel title="Payload redaction">
      <p className="mb-4 max-w-prose text-muted">
        Matching values are shown as {REDACTED} in this browser, for example while you share your screen. The server
        still sends them, so do not put values into jobs that readers must not see. Error messages are not masked.
      </p>
      <form onSubmit={add} className="mb-4 flex max-w-xl items-start gap-2">
        <TextField
          label="New rule"
          placeholder="payload.card.*"
          value={text}
          onText={(next) => {
            setText(next)
            setProblem(undefined)
          }}
          problem={problem}
          help="* matches one name or index, ** any depth: payload.**.password"
          className="min-w-0 flex-1 font-mono"
        />
        <Button type="submit" className="mt-8" disabled={text.trim() === ''}>
          Add
        </Button>
      </form>
      {rules.length > 0 && (
        <ul aria-label="Redaction rules" className="mb-4 grid max-w-xl divide-y divide-line/60">
          {rules.map((rule) => (
            <li key={rule} className="flex h-9 items-center justify-between gap-3">
              <code className="truncate font-mono text-xs">{rule}</code>
              <Button
                isSmall
                weight="quiet"
                aria-label={`Remove rule ${rule}`}
                onClick={() => save(rules.filter((other) => other !== rule))}
              >
                Remove
              </Button>
            </li>
          ))}
        </ul>
      )}
      <figure>
        <figcaption className="mb-1 text-muted text-xs">Preview</figcaption>
        <pre
          data-testid="redacted-example"
          className="max-w-xl overflow-x-auto rounded-md bg-raised p-3 font-mono text-xs/5"
        >
          {JSON.stringify(redact(EXAMPLE, 'payload', rules), null, 2)}
        </pre>
      </figure>
    </Panel>
  )
}
