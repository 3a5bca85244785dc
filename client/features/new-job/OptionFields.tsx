/** Priority, time, attempts, timeout and dedupe key. */
import { INPUT, Labelled, notes } from './Labelled.tsx'
import type { OptionProblems, Options } from './options.ts'
import { WhenFields } from './WhenFields.tsx'

export interface OptionFieldsProps {
  readonly options: Options
  readonly problems: OptionProblems
  readonly onChange: (change: Partial<Options>) => void
}

export function OptionFields({ options, problems, onChange }: OptionFieldsProps) {
  return (
    <div className="grid gap-x-4 gap-y-3 sm:grid-cols-2">
      <WhenFields options={options} problems={problems} onChange={onChange} />
      <TextOption
        id="priority"
        label="Priority"
        hint="higher goes first; 0 unless you say"
        problem={problems.priority ?? null}
        value={options.priority}
        onChange={(priority) => onChange({ priority })}
      />
      <TextOption
        id="max-attempts"
        label="Max attempts"
        hint="how many times it is tried; else its type decides"
        problem={problems.maxAttempts ?? null}
        value={options.maxAttempts}
        onChange={(maxAttempts) => onChange({ maxAttempts })}
      />
      <TextOption
        id="timeout"
        label="Timeout"
        hint="how long one attempt may take: 30s, 10m, 1h30m"
        problem={problems.timeoutMs ?? null}
        value={options.timeout}
        onChange={(timeout) => onChange({ timeout })}
      />
      <TextOption
        id="dedupe-key"
        label="Dedupe key"
        hint="a second job of this type with the same key is not added"
        problem={problems.dedupeKey ?? null}
        value={options.dedupeKey}
        onChange={(dedupeKey) => onChange({ dedupeKey })}
      />
      {options.dedupeKey !== '' && (
        <Labelled id="dedupe-until" label="Key is free again">
          <select
            id="dedupe-until"
            value={options.dedupeUntil}
            onChange={({ target }) => onChange({ dedupeUntil: target.value === 'finished' ? 'finished' : 'removed' })}
            className={`${INPUT} h-8 py-0`}
          >
            <option value="removed">when the job is removed</option>
            <option value="finished">when the job is finished</option>
          </select>
        </Labelled>
      )}
    </div>
  )
}

interface TextOptionProps {
  readonly id: string
  readonly label: string
  readonly hint: string
  readonly problem: string | null
  readonly value: string
  readonly onChange: (value: string) => void
}

function TextOption({ id, label, hint, problem, value, onChange }: TextOptionProps) {
  return (
    <Labelled id={id} label={label} isOptional hint={hint} problem={problem}>
      <input
        {...notes({ id, hint, problem })}
        type="text"
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className={INPUT}
      />
    </Labelled>
  )
}
