/** Input for the job type, with known types as suggestions. */
import { describedBy, Field, INPUT } from './Field.tsx'

export interface TypeFieldProps {
  readonly type: string
  readonly names: readonly string[]
  readonly hint: string
  readonly problem: string | null
  readonly onChange: (type: string) => void
}

export function TypeField({ type, names, hint, problem, onChange }: TypeFieldProps) {
  return (
    <Field id="type" label="Type" hint={hint} problem={problem}>
      <input
        {...describedBy({ id: 'type', hint, problem })}
        type="text"
        list="known-types"
        autoComplete="off"
        spellCheck={false}
        required
        placeholder="send_email"
        value={type}
        onChange={(event) => onChange(event.target.value)}
        className={`${INPUT} sm:max-w-md`}
      />
      <datalist id="known-types">
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </Field>
  )
}
