/** Ticks of the next year that a change of the clocks affects. */
import { DAY } from '../../../../shared/limits.ts'
import { previewTicks } from '../../../../shared/schedules/describe.ts'
import type { EffectiveSchedule, NextTick } from '../../../../shared/schedules/schedule.ts'
import { type Transition, transitionIn } from '../../../../shared/schedules/zone.ts'

const YEAR = 366 * DAY

let last: { readonly zone: string; readonly day: number; readonly transitions: readonly Transition[] } | null = null

/** The first affected tick of each change. Looks only at the changes: all ticks of a year take 250 ms. */
export function affectedTicks(rule: EffectiveSchedule, name: string, after: number): readonly NextTick[] {
  if (rule.cron === null) return []
  return transitionsOf(rule.timezone, after).flatMap(({ at, before, after: later }) => {
    // A gap ends at `at`; a repeated hour begins before it.
    const from = Math.max(after, at - Math.max(0, before - later) - 1)
    return previewTicks(rule, name, from, 1).filter(({ note }) => note !== null)
  })
}

/** About 20 ms for a year, so kept for the next keystroke. */
function transitionsOf(zone: string, after: number): readonly Transition[] {
  const day = Math.floor(after / DAY)
  if (last?.zone === zone && last.day === day) return last.transitions
  const transitions: Transition[] = []
  const end = day * DAY + YEAR
  for (let found = transitionIn(zone, day * DAY, end); found; found = transitionIn(zone, found.at, end)) {
    transitions.push(found)
  }
  last = { zone, day, transitions }
  return transitions
}
