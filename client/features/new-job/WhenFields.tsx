/** Inputs for the run time: now, after a delay, or at a time. */
import { parseDuration } from '../../../shared/duration.ts'
import { measured } from '../../lib/format-duration.ts'
import { describedBy, Field, INPUT } from '../../ui/form/Field.tsx'
import { Segments } from '../../ui/form/Segments.tsx'
import type { Options } from './draft/options.ts'
import type { OptionFieldsProps } from './OptionFields.tsx'

const CHOICES = [
  ['now', 'Now'],
  ['delay', 'After a delay'],
  ['at', 'At a time'],
] as const satisfies readonly (readonly [Options['when'], string])[]

export function WhenFields({ options, problems, onChange }: Omit<OptionFieldsProps, 'keyPointer'>) {
  const { when, delay, at } = options
  return (
    <fieldset className="col-span-full grid gap-3">
      <legend className="mb-1 font-medium">Run</legend>
      <Segments name="when" choices={CHOICES} value={when} onChange={(choice) => onChange({ when: choice })} />
      {when !== 'now' && (
        <div className="sm:max-w-[calc(50%-0.5rem)]">
          {when === 'delay' ? (
            <Delay value={delay} problem={problems.delayMs ?? null} onChange={onChange} />
          ) : (
            <At value={at} problem={problems.runAt ?? null} onChange={onChange} />
          )}
        </div>
      )}
    </fieldset>
  )
}

interface PartProps extends Pick<OptionFieldsProps, 'onChange'> {
  readonly value: string
  readonly problem: string | null
}

function Delay({ value, problem, onChange }: PartProps) {
  const ms = parseDuration(value, { plainNumber: 's' })
  const hint = ms === null ? undefined : `in ${measured(ms)}`
  return (
    <Field id="delay" label="Delay" hint={hint} problem={problem}>
      <input
        {...describedBy({ id: 'delay', hint, problem })}
        type="text"
        autoComplete="off"
        value={value}
        onChange={(event) => onChange({ delay: event.target.value })}
        className={INPUT}
      />
    </Field>
  )
}

function At({ value, problem, onChange }: PartProps) {
  const at = Date.parse(value)
  const hint = Number.isNaN(at) ? 'local time' : `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
  return (
    <Field id="run-at" label="Run at" hint={hint} problem={problem}>
      <input
        {...describedBy({ id: 'run-at', hint, problem })}
        type="datetime-local"
        value={value}
        onChange={(event) => onChange({ at: event.target.value })}
        className={INPUT}
      />
    </Field>
  )
}
