/** Cron expressions: validation, and the next tick in a time zone. Pure; the timers of croner are not used. */
import { Cron } from 'croner'
import { nearest } from '../json/nearest.ts'
import { DAY, HOUR, MINUTE } from '../limits.ts'
import { offsetAt, requireZone } from './zone.ts'

/** A compiled expression. */
interface Compiled {
  /** The first tick after an instant, in milliseconds; null: none. */
  next(after: number): number | null
}

const compiled = new Map<string, Compiled>()
const MAX_COMPILED = 2_000

/** The first tick of `cron` after `after`; null: none. */
export function nextCronTick(cron: string, zone: string, after: number): number | null {
  const key = `${cron}\n${zone}`
  let expression = compiled.get(key)
  if (!expression) {
    expression = compile(NICKNAMES[cron.toLowerCase()] ?? cron, zone)
    if (compiled.size >= MAX_COMPILED) compiled.clear()
    compiled.set(key, expression)
  }
  return expression.next(after)
}

/** The clocks change at most by this much, apart from moves across the date line. */
const LONGEST_CHANGE = 3 * HOUR
/** Two changes of the clocks within this time do not occur. */
const BETWEEN_CHANGES = 7 * DAY

function compile(cron: string, zone: string): Compiled {
  const atOffset = createOffsets(cron)
  if (zone === 'UTC') return { next: (after) => atOffset(0, after) }
  let parts: readonly Cron[] | null = null
  return {
    next(after) {
      const offset = offsetAt(zone, after)
      // A fixed offset takes 14 µs, a time zone 50 to 80.
      const near = offset % MINUTE === 0 ? atOffset(offset, after) : null
      if (
        near !== null &&
        near - after <= BETWEEN_CHANGES &&
        offsetAt(zone, after - LONGEST_CHANGE) === offset &&
        offsetAt(zone, near) === offset
      ) {
        return near
      }
      parts ??= fixedTimes(cron).map((time) => new Cron(time, { timezone: zone, paused: true, mode: '5-or-6-parts' }))
      return earliest(parts.map((part) => instantOf(part.nextRun(new Date(after)))))
    },
  }
}

function createOffsets(cron: string): (offset: number, after: number) => number | null {
  const crons = new Map<number, Cron>()
  return (offset, after) => {
    let one = crons.get(offset)
    if (!one) {
      one = new Cron(cron, { utcOffset: offset / MINUTE, paused: true, mode: '5-or-6-parts' })
      crons.set(offset, one)
    }
    return instantOf(one.nextRun(new Date(after)))
  }
}

/** Whether a clock with this fixed offset shows a time that the expression names. */
export function ticksAtOffset(cron: string, offset: number, at: number): boolean {
  return createOffsets(NICKNAMES[cron.toLowerCase()] ?? cron)(offset, at - 1) === at
}

const instantOf = (date: Date | null) => (date === null ? null : date.getTime())

function earliest(instants: readonly (number | null)[]): number | null {
  let first: number | null = null
  for (const at of instants) if (at !== null && (first === null || at < first)) first = at
  return first
}

const LIST = /^[\d,-]+$/
/** More times of day are taken as a wildcard: they go by real time. */
const MAX_TIMES = 96

/**
 * croner moves a single time of day out of a gap and runs it once in a repeated hour, but treats `0,30 2 * * *` like a wildcard:
 * its ticks in a gap are lost, and those in a repeated hour run twice. So lists of times are split into single ones.
 */
function fixedTimes(cron: string): readonly string[] {
  const fields = cron.split(' ')
  if (fields.length < 5) return [cron]
  const times = fields.length === 5 ? fields.slice(0, 2) : fields.slice(0, 3)
  const rest = fields.slice(times.length)
  if (!times.every((field) => LIST.test(field))) return [cron]
  const lists = times.map(numbersOf)
  if (lists.reduce((product, { length }) => product * length, 1) > MAX_TIMES) return [cron]
  let all: readonly (readonly number[])[] = [[]]
  for (const list of lists) all = all.flatMap((time) => list.map((number) => [...time, number]))
  return all.map((time) => [...time, ...rest].join(' '))
}

function numbersOf(field: string): readonly number[] {
  const numbers = new Set<number>()
  for (const part of field.split(',')) {
    const [low = 0, high = low] = part.split('-').map(Number)
    for (let number = low; number <= high; number++) numbers.add(number)
  }
  return [...numbers]
}

/** The fields of an expression, with nicknames replaced: seconds, minutes, hours, days, months, weekdays. */
export function cronFields(cron: string): readonly [string, string, string, string, string, string] | null {
  const fields = (NICKNAMES[cron.toLowerCase()] ?? cron).split(' ')
  const [first = '', second = '', third = '', fourth = '', fifth = '', sixth] = fields
  if (fields.length === 5) return ['0', first, second, third, fourth, fifth]
  return fields.length === 6 && sixth !== undefined ? [first, second, third, fourth, fifth, sixth] : null
}

const NICKNAMES: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
}

const SAMPLE = 'for example 0 3 * * * for every day at 03:00'

/** What is wrong with an expression, and what to do; null: nothing. */
export function cronProblem(cron: string): string | null {
  if (cron.startsWith('@') && NICKNAMES[cron.toLowerCase()] === undefined) {
    const meant = nearest(cron.toLowerCase(), Object.keys(NICKNAMES), 2) ?? Object.keys(NICKNAMES).join(', ')
    return `${cron} is not known; use ${meant}, or every for an interval`
  }
  if (cronFields(cron) === null) {
    const { length } = cron.split(' ')
    return `has ${length} ${length === 1 ? 'field' : 'fields'}; a cron expression has five, or six with seconds first, ${SAMPLE}`
  }
  try {
    if (nextCronTick(cron, 'UTC', REFERENCE) !== null) return null
    return `${cron} matches no date; correct the day or the month`
  } catch (error) {
    const message = error instanceof Error ? error.message.replace(/^Cron(?:Pattern|Date)?: /, '') : String(error)
    return `is not a cron expression (${message.replace(/\.$/, '')}); write it as minute hour day month weekday, ${SAMPLE}`
  }
}

/** Any instant will do: patterns repeat within 28 years. */
const REFERENCE = Date.UTC(2026, 0, 1)

/** What is wrong with a time zone, and what to do; null: nothing. */
export function timezoneProblem(zone: string): string | null {
  try {
    requireZone(zone)
    return null
  } catch {
    const meant = nearest(zone, Intl.supportedValuesOf('timeZone'), 4)
    return `${zone} is not a time zone of the IANA database; ${meant ? `did you mean ${meant}?` : 'use a name such as Europe/Berlin, or UTC'}`
  }
}
