/** Limits of schedules. Apart from the other limits, which the bundle of clients contains. */
import { DAY, SECOND } from '../limits.ts'

export const scheduleLimits = {
  nameLength: 200,
  noteLength: 1_000,
  cronLength: 200,
  timezoneLength: 100,
  /** Interval of a schedule. */
  everyMs: { min: SECOND, max: 366 * DAY },
  catchUpWindowMs: 366 * DAY,
  graceMs: 366 * DAY,
  runs: 1_000_000_000,
  exceptions: 1_000,
  /** Ticks in one preview. */
  preview: 100,
  /** Schedules in one declaration: the full set of an owner. */
  declared: 1_000,
  /** Stored ticks per schedule. */
  ticks: 50,
} as const
