/** Ticks of a schedule in the next 24 hours, counted in bins of a quarter of an hour. */
import { DAY, MINUTE } from '../../../../shared/limits.ts'
import { dueAt, nextTick } from '../../../../shared/schedules/rule.ts'
import type { ScheduleRow } from '../../../../shared/schedules/schedule.ts'
import { boundedRule } from '../../../../shared/schedules/state.ts'

export const BIN_MS = 15 * MINUTE
export const BINS = DAY / BIN_MS

export interface DayTicks {
  /** Whether the schedule runs in each bin. */
  readonly bins: readonly boolean[]
  /** When it runs first; null: not on this day. */
  readonly first: number | null
  /** Number of bins it runs in. */
  readonly count: number
}

/** Beginning of the quarter of an hour that contains `now`. */
export function dayStart(now: number): number {
  return Math.floor(now / BIN_MS) * BIN_MS
}

export function dayTicks(row: ScheduleRow, start: number): DayTicks {
  const bins = Array.from({ length: BINS }, () => false)
  let first: number | null = null
  if (row.nextTickAt !== null) {
    const rule = boundedRule(row.effective, row.stopsAt)
    // One tick per bin is enough, so that a rule with a tick per second costs no more than one with 96 a day.
    let at: number | null = row.nextTickAt
    while (at !== null && at < start + DAY) {
      const due = dueAt(rule, row.name, at)
      const bin = Math.floor((due - start) / BIN_MS)
      if (bin >= 0 && bin < BINS) {
        bins[bin] = true
        first ??= due
      }
      const binEnd = start + (Math.floor((at - start) / BIN_MS) + 1) * BIN_MS
      at = nextTick(rule, Math.max(at, binEnd - 1))
    }
  }
  return { bins, first, count: bins.filter(Boolean).length }
}

/** Neighbouring bins as one mark. */
export function marksOf(bins: readonly boolean[]): readonly { readonly from: number; readonly length: number }[] {
  const marks: { from: number; length: number }[] = []
  for (const [index, isSet] of bins.entries()) {
    if (!isSet) continue
    const last = marks.at(-1)
    if (last && last.from + last.length === index) last.length += 1
    else marks.push({ from: index, length: 1 })
  }
  return marks
}
