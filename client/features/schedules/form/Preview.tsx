/** Next runs of the settings in the form, computed in the browser while typing. */
import { useMemo, useState } from 'react'
import { MINUTE } from '../../../../shared/limits.ts'
import { describeRule, previewTicks } from '../../../../shared/schedules/describe.ts'
import type { NextTick } from '../../../../shared/schedules/schedule.ts'
import { effectiveSchedule } from '../../../../shared/schedules/settings.ts'
import { useNow } from '../../../live/use-now.ts'
import { TickList } from '../TickList.tsx'
import { affectedTicks } from './clock-changes.ts'
import type { Read } from './draft.ts'

const COUNT = 5

interface Shown {
  readonly text: string
  readonly zone: string
  readonly ticks: readonly NextTick[]
  /** Later ticks of the next year that a change of the clocks affects. */
  readonly exceptions: readonly NextTick[]
}

export function Preview({ name, read }: { name: string; read: Read }) {
  const now = useNow()
  const minute = Math.floor(now / MINUTE) * MINUTE
  const current = useMemo(
    () => (read.hasRule ? previewOf(read, name === '' ? '-' : name, minute) : null),
    [read, name, minute],
  )
  // While a text is invalid, the last valid preview stays, so that nothing jumps.
  const [last, setLast] = useState<Shown | null>(null)
  if (current !== null && current !== last) setLast(current)
  const shown = current ?? last
  return (
    <section
      aria-label="Preview"
      aria-live="polite"
      className="rounded-lg bg-surface px-4 py-4 ring-1 ring-line sm:px-5"
    >
      <h2 className="mb-2 font-semibold">Preview</h2>
      {shown === null ? (
        <p className="text-muted">Correct the rule to see its next runs.</p>
      ) : (
        <div className={current === null ? 'opacity-50' : ''}>
          <p data-testid="rule-text" className="mb-3 wrap-anywhere">
            {shown.text}
          </p>
          {shown.ticks.length === 0 ? (
            <p className="text-muted">No run: the rule has no tick within its bounds.</p>
          ) : (
            <TickList ticks={shown.ticks} zone={shown.zone} />
          )}
          {shown.exceptions.length > 0 && (
            <div data-testid="exceptions" className="mt-4">
              <h3 className="mb-1 text-muted text-xs">When the clocks change</h3>
              <TickList ticks={shown.exceptions} zone={shown.zone} />
            </div>
          )}
        </div>
      )}
    </section>
  )
}

function previewOf({ settings }: Read, name: string, after: number): Shown {
  const rule = effectiveSchedule(null, settings)
  const ticks = previewTicks(rule, name, after, COUNT)
  const shown = new Set(ticks.map(({ at }) => at))
  return {
    text: describeRule(rule),
    zone: rule.timezone,
    ticks,
    exceptions: affectedTicks(rule, name, after).filter(({ at }) => !shown.has(at)),
  }
}
