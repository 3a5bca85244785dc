/** Which type of job: one that is known, or a new name. */
import { INPUT, Labelled, notes } from './Labelled.tsx'

export interface TypeFieldProps {
  readonly type: string
  readonly names: readonly string[]
  readonly hint: string
  readonly problem: string | null
  readonly onChange: (type: string) => void
}

export function TypeField({ type, names, hint, problem, onChange }: TypeFieldProps) {
  return (
    <Labelled id="type" label="Type" hint={hint} problem={problem}>
      <input
        {...notes({ id: 'type', hint, problem })}
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
    </Labelled>
  )
}
