/** Options of the form: overlap, catch-up, bounds and options of the jobs. */
import type { ReactNode } from 'react'
import { useId } from 'react'
import { CATCH_UPS, OVERLAPS } from '../../../../shared/schedules/schedule.ts'
import { Field, SELECT } from '../../../ui/form/Field.tsx'
import { CATCH_UP_CHOICES, OVERLAP_CHOICES } from './choices.ts'
import { FormText } from './FormText.tsx'
import { BOUND_FIELDS, JOB_FIELDS, LATE_FIELDS } from './form-fields.ts'
import type { PartProps } from './RuleFields.tsx'

export function FormOptions(props: PartProps) {
  const { draft, declared, onChange } = props
  return (
    <>
      <Part name="Late and overlapping runs">
        <Choice
          label="When an earlier job is unfinished"
          value={draft.overlap}
          values={OVERLAPS}
          texts={OVERLAP_CHOICES}
          declared={declared && (declared.overlap ?? 'skip')}
          onChange={(overlap) => onChange({ overlap })}
        />
        <Choice
          label="When no server ran at a tick"
          value={draft.catchUp}
          values={CATCH_UPS}
          texts={CATCH_UP_CHOICES}
          declared={declared && (declared.catchUp ?? 'one')}
          onChange={(catchUp) => onChange({ catchUp })}
        />
        {LATE_FIELDS.map((field) => (
          <FormText key={field.key} field={field} {...props} />
        ))}
      </Part>
      <Part name="Bounds">
        {BOUND_FIELDS.map((field) => (
          <FormText key={field.key} field={field} {...props} />
        ))}
      </Part>
      <Part name="Options of the jobs">
        {JOB_FIELDS.map((field) => (
          <FormText key={field.key} field={field} {...props} />
        ))}
      </Part>
    </>
  )
}

function Part({ name, children }: { name: string; children: ReactNode }) {
  return (
    <section aria-label={name} className="rounded-lg bg-surface px-4 py-4 ring-1 ring-line sm:px-5">
      <h2 className="mb-2 font-semibold">{name}</h2>
      <div className="grid gap-x-4 gap-y-3 sm:grid-cols-2">{children}</div>
    </section>
  )
}

interface ChoiceProps<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly values: readonly Value[]
  readonly texts: Readonly<Record<Value, string>>
  readonly declared: Value | null
  readonly onChange: (value: Value) => void
}

function Choice<Value extends string>({ label, value, values, texts, declared, onChange }: ChoiceProps<Value>) {
  const id = useId()
  const hint = declared !== null && declared !== value ? `overrides the declared value: ${texts[declared]}` : undefined
  return (
    <Field id={id} label={label} isTall hint={hint}>
      <select
        id={id}
        value={value}
        onChange={({ target }) => {
          const chosen = values.find((one) => one === target.value)
          if (chosen !== undefined) onChange(chosen)
        }}
        className={SELECT}
      >
        {values.map((one) => (
          <option key={one} value={one}>
            {texts[one]}
          </option>
        ))}
      </select>
    </Field>
  )
}
