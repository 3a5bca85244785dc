/** Number and text schemas with bounds; the messages fit beside a form field. */
import { z } from 'zod'
import { DAY, HOUR, MINUTE, SECOND } from '../limits.ts'

export function numberBetween(min: number, max: number) {
  return z.number('must be a number').min(min, least(min)).max(max, most(max))
}

export function integerBetween(min: number, max: number) {
  return z.int('must be a whole number').min(min, least(min)).max(max, most(max))
}

/** Milliseconds. Messages show the bounds in days, hours, minutes or seconds. */
export function durationBetween(min: number, max: number) {
  const rule = 'must be a whole number of milliseconds'
  return z
    .int(rule)
    .min(min, least(inUnits(min)))
    .max(max, most(inUnits(max)))
}

/** Text of 1 to `max` characters; a wrong length is the only problem that is reported. */
export function textUpTo(max: number) {
  return z
    .string()
    .min(1, { error: 'must not be empty', abort: true })
    .max(max, { error: ({ input }) => `is ${String(input).length} characters long; the limit is ${max}`, abort: true })
}

const least = (bound: number | string) => `must be at least ${bound}`
const most = (bound: number | string) => `must be at most ${bound}`

const UNITS = [
  ['days', DAY],
  ['hours', HOUR],
  ['minutes', MINUTE],
  ['seconds', SECOND],
] as const

function inUnits(ms: number): string {
  const [name, unit] = UNITS.find(([, size]) => ms > 0 && ms % size === 0) ?? ['milliseconds', 1]
  const count = ms / unit
  return `${count} ${count === 1 ? name.slice(0, -1) : name}`
}
