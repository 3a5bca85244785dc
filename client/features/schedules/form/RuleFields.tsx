/** When it runs: cron expression or interval, and time zone. */
import { formatDuration } from '../../../../shared/duration.ts'
import type { ScheduleSettings } from '../../../../shared/schedules/schedule.ts'
import { Segments } from '../../../ui/form/Segments.tsx'
import { TextField } from '../../../ui/form/TextField.tsx'
import type { Draft } from './draft.ts'
import { FormText } from './FormText.tsx'
import { OFFSET_FIELD } from './form-fields.ts'

export interface PartProps {
  readonly draft: Draft
  /** Declared settings; null: the schedule belongs to operators. */
  readonly declared: ScheduleSettings | null
  readonly problemOf: (key: string) => string | undefined
  readonly onChange: (part: Partial<Draft>) => void
}

const RULES = [
  ['cron', 'Cron'],
  ['every', 'Interval'],
] as const

const ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]

export function RuleFields(props: PartProps) {
  const { draft, declared, problemOf, onChange } = props
  const { rule, cron, every, timezone } = draft
  const zone = declared && (declared.timezone ?? 'UTC')
  return (
    <section aria-label="Rule" className="grid gap-3 rounded-lg bg-surface px-4 py-4 ring-1 ring-line sm:px-5">
      <fieldset>
        <legend className="mb-1 font-medium">Runs by</legend>
        <Segments name="rule" choices={RULES} value={rule} onChange={(one) => onChange({ rule: one })} />
      </fieldset>
      <div className="grid gap-x-4 gap-y-3 sm:grid-cols-2">
        {rule === 'cron' ? (
          <TextField
            label="Cron expression"
            value={cron}
            onText={(text) => onChange({ cron: text })}
            placeholder="0 3 * * *"
            help={noteOf(declared, ruleText(declared), cron) ?? 'minute hour day month weekday; or @daily'}
            problem={problemOf('cron')}
          />
        ) : (
          <TextField
            label="Every"
            value={every}
            onText={(text) => onChange({ every: text })}
            placeholder="45m"
            help={noteOf(declared, ruleText(declared), every) ?? 'aligned to the clock: restarts do not shift it'}
            problem={problemOf('every')}
          />
        )}
        <TextField
          label="Time zone"
          value={timezone}
          onText={(text) => onChange({ timezone: text })}
          list="time-zones"
          placeholder="Europe/Berlin"
          help={
            noteOf(declared, zone ?? '', timezone) ?? (rule === 'cron' ? 'of the expression' : 'of dates and texts')
          }
          problem={problemOf('timezone')}
        />
        <datalist id="time-zones">
          {ZONES.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
        {rule === 'every' && <FormText field={OFFSET_FIELD} {...props} />}
      </div>
    </section>
  )
}

function ruleText(declared: ScheduleSettings | null): string {
  if (declared?.every !== undefined) return formatDuration(declared.every, '')
  return declared?.cron ?? ''
}

function noteOf(declared: ScheduleSettings | null, text: string, now: string): string | null {
  return declared !== null && text !== now.trim() ? `overrides the declared ${text}` : null
}
