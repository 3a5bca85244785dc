/** The rules of what this browser does not show. */
import { type FormEvent, useState } from 'react'
import { REDACTED, redact, ruleProblem } from '../../../shared/redaction/redaction.ts'
import { Button } from '../../ui/Button.tsx'
import { Panel } from '../../ui/Panel.tsx'
import { toasts } from '../../ui/toasts.ts'
import { TextField } from './form/TextField.tsx'
import { saveRedactionRules, useRedactionRules } from './redaction.ts'

const EXAMPLE = { user: 'ada', card: { number: '4111 1111 1111 1111', cvc: '123' }, contacts: [{ password: 'x' }] }

export function RedactionTab() {
  const rules = useRedactionRules()
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string>()

  function save(next: readonly string[]) {
    if (!saveRedactionRules(next)) toasts.complain('This browser keeps nothing: the rules last as long as this page.')
  }

  function add(event: FormEvent) {
    event.preventDefault()
    const rule = text.trim()
    const wrong = rules.includes(rule) ? 'This rule is there already.' : ruleProblem(rule)
    setProblem(wrong ?? undefined)
    if (wrong !== null) return
    save([...rules, rule])
    setText('')
  }

  return (
    <Panel title="Payload redaction">
      <p className="mb-4 max-w-prose text-muted">
        What these rules name is shown as {REDACTED} in this browser, for looking at jobs with somebody beside you. The
        server still sends it: to keep a value from readers, do not put it into a job. Messages of errors are shown as
        they are.
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
          help="* is any one name or position, ** any depth: payload.**.password"
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
                aria-label={`Remove the rule ${rule}`}
                onClick={() => save(rules.filter((other) => other !== rule))}
              >
                Remove
              </Button>
            </li>
          ))}
        </ul>
      )}
      <figure>
        <figcaption className="mb-1 text-muted text-xs">A payload as it would be shown</figcaption>
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
