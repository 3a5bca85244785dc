/** Radio buttons side by side, for a choice between a few short words. */

export interface SegmentsProps<Value extends string> {
  /** Name of the radio group. */
  readonly name: string
  readonly choices: readonly (readonly [value: Value, label: string])[]
  readonly value: Value
  readonly onChange: (value: Value) => void
}

export function Segments<Value extends string>({ name, choices, value, onChange }: SegmentsProps<Value>) {
  return (
    <div className="flex h-8 w-fit rounded-md bg-raised p-0.5">
      {choices.map(([choice, label]) => (
        <label
          key={choice}
          className="flex cursor-pointer items-center rounded px-3 text-muted has-checked:bg-surface has-checked:text-ink has-checked:shadow-sm has-focus-visible:outline-2 has-focus-visible:outline-focus"
        >
          <input
            type="radio"
            name={name}
            checked={value === choice}
            onChange={() => onChange(choice)}
            className="sr-only"
          />
          {label}
        </label>
      ))}
    </div>
  )
}
