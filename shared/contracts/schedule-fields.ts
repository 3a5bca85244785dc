/** Fields of schedules: names, cron expressions, durations and exceptions, normalised when parsed. */

import { z } from 'zod'
import { DURATION_RULE, parseDuration } from '../duration.ts'
import { cronProblem, timezoneProblem } from '../schedules/cron.ts'
import { scheduleLimits } from '../schedules/limits.ts'
import { isLocalDate } from '../schedules/zone.ts'
import { durationBetween, textUpTo } from './bounds.ts'
import { instant, storable } from './fields.ts'

const PRINTABLE = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+$/u

export const scheduleName = textUpTo(scheduleLimits.nameLength).regex(
  PRINTABLE,
  'must be printable characters only, without line breaks or control characters',
)

export const cronExpression = storable(scheduleLimits.cronLength)
  .overwrite((text) => text.trim().replace(/\s+/g, ' '))
  .check(({ value, issues }) => {
    const message = cronProblem(value)
    if (message !== null) issues.push({ code: 'custom', message, input: value })
  })

export const timezone = storable(scheduleLimits.timezoneLength).check(({ value, issues }) => {
  const message = timezoneProblem(value)
  if (message !== null) issues.push({ code: 'custom', message, input: value })
})

/** Milliseconds, or text such as `45m`; the output is a number. */
export function duration(min: number, max: number) {
  return z
    .union([z.number(), storable(50)])
    .transform((value, { issues }) => {
      const ms = typeof value === 'number' ? value : parseDuration(value)
      if (ms !== null) return ms
      issues.push({ code: 'custom', message: DURATION_RULE, input: value })
      return z.NEVER
    })
    .pipe(durationBetween(min, max))
}

const PERCENT = /^(\d{1,2}(?:\.\d+)?|100)\s*%$/

/** A duration in milliseconds, or a part of the interval as `50%`. */
export const spread = z.union([z.number(), storable(50)]).transform((value, { issues }): number | string => {
  if (typeof value === 'string' && PERCENT.test(value)) return value.replace(/\s/g, '')
  const ms = typeof value === 'number' ? value : parseDuration(value)
  if (ms !== null && Number.isSafeInteger(ms) && ms >= 0 && ms <= scheduleLimits.everyMs.max) return ms
  issues.push({ code: 'custom', message: `${DURATION_RULE}, or be a percentage such as 50%`, input: value })
  return z.NEVER
})

/** An instant, or a date in the time zone of the schedule. */
export const exception = z.union([
  instant,
  z.string().max(10).refine(isLocalDate, 'must be an instant in milliseconds, or a date such as 2026-12-25'),
])
