/** When the job may run: at once, after a while, or at a time. */
import { measured } from '../../lib/format-duration.ts'
import { readDuration } from './duration-text.ts'
import { INPUT, Labelled, notes } from './Labelled.tsx'
import type { OptionFieldsProps } from './OptionFields.tsx'
import type { Options } from './options.ts'

const CHOICES = [
  ['now', 'At once'],
  ['delay', 'After a while'],
  ['at', 'At a time'],
] as const satisfies readonly (readonly [Options['when'], string])[]

export function WhenFields({ options, problems, onChange }: OptionFieldsProps) {
  const { when, delay, at } = options
  return (
    <fieldset className="col-span-full grid gap-3">
      <legend className="mb-1 font-medium">When</legend>
      <div className="flex h-8 w-fit rounded-md bg-raised p-0.5">
        {CHOICES.map(([choice, words]) => (
          <label
            key={choice}
            className="flex cursor-pointer items-center rounded px-3 text-muted has-checked:bg-surface has-checked:text-ink has-checked:shadow-sm has-focus-visible:outline-2 has-focus-visible:outline-focus"
          >
            <input
              type="radio"
              name="when"
              checked={when === choice}
              onChange={() => onChange({ when: choice })}
              className="sr-only"
            />
            {words}
          </label>
        ))}
      </div>
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
  const ms = readDuration(value)
  const hint = ms === null ? undefined : `in ${measured(ms)}`
  return (
    <Labelled id="delay" label="Delay" hint={hint} problem={problem}>
      <input
        {...notes({ id: 'delay', hint, problem })}
        type="text"
        autoComplete="off"
        value={value}
        onChange={(event) => onChange({ delay: event.target.value })}
        className={INPUT}
      />
    </Labelled>
  )
}

function At({ value, problem, onChange }: PartProps) {
  const at = Date.parse(value)
  const hint = Number.isNaN(at)
    ? 'in your local time'
    : `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
  return (
    <Labelled id="run-at" label="Run at" hint={hint} problem={problem}>
      <input
        {...notes({ id: 'run-at', hint, problem })}
        type="datetime-local"
        value={value}
        onChange={(event) => onChange({ at: event.target.value })}
        className={INPUT}
      />
    </Labelled>
  )
}
