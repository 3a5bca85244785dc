/** Inputs for priority, run time, attempts, timeout, group and dedupe key. */
import { describedBy, Field, INPUT, SELECT } from '../../ui/form/Field.tsx'
import type { OptionProblems, Options } from './draft/options.ts'
import { WhenFields } from './WhenFields.tsx'

export interface OptionFieldsProps {
  readonly options: Options
  readonly problems: OptionProblems
  /** Where the type takes its group key from, if not from the option. */
  readonly keyPointer: string | null
  readonly onChange: (change: Partial<Options>) => void
}

export function OptionFields({ options, problems, keyPointer, onChange }: OptionFieldsProps) {
  return (
    <div className="grid gap-x-4 gap-y-3 sm:grid-cols-2">
      <WhenFields options={options} problems={problems} onChange={onChange} />
      <TextOption
        id="priority"
        label="Priority"
        hint="higher runs first; default 0"
        problem={problems.priority ?? null}
        value={options.priority}
        onChange={(priority) => onChange({ priority })}
      />
      <TextOption
        id="max-attempts"
        label="Max attempts"
        hint="default: from type settings"
        problem={problems.maxAttempts ?? null}
        value={options.maxAttempts}
        onChange={(maxAttempts) => onChange({ maxAttempts })}
      />
      <TextOption
        id="timeout"
        label="Timeout"
        hint="per attempt: 30s, 10m, 1h30m"
        problem={problems.timeoutMs ?? null}
        value={options.timeout}
        onChange={(timeout) => onChange({ timeout })}
      />
      <TextOption
        id="group"
        label="Group"
        hint={
          keyPointer === null
            ? 'key such as a tenant: limits and order hold per key'
            : `default: ${keyPointer} of the payload`
        }
        problem={problems.group ?? null}
        value={options.group}
        onChange={(group) => onChange({ group })}
      />
      <TextOption
        id="dedupe-key"
        label="Dedupe key"
        hint="no second job of this type with the same key"
        problem={problems.dedupeKey ?? null}
        value={options.dedupeKey}
        onChange={(dedupeKey) => onChange({ dedupeKey })}
      />
      {options.dedupeKey !== '' && (
        <Field id="dedupe-until" label="Key expires">
          <select
            id="dedupe-until"
            value={options.dedupeUntil}
            onChange={({ target }) => onChange({ dedupeUntil: target.value === 'finished' ? 'finished' : 'removed' })}
            className={SELECT}
          >
            <option value="removed">when the job is removed</option>
            <option value="finished">when the job is finished</option>
          </select>
        </Field>
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
    <Field id={id} label={label} isOptional hint={hint} problem={problem}>
      <input
        {...describedBy({ id, hint, problem })}
        type="text"
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className={INPUT}
      />
    </Field>
  )
}
