/** Rules in English: `Every day at 03:00, Europe/Berlin`; and what changes of the clocks do to a tick. */
import { formatDuration } from '../duration.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../limits.ts'
import { cronFields, ticksAtOffset } from './cron.ts'
import { dueAt, nextTicks, type Rule } from './rule.ts'
import type { EffectiveSchedule, NextTick } from './schedule.ts'
import { transitionIn, wallOf } from './zone.ts'

type Described = Pick<EffectiveSchedule, 'cron' | 'every' | 'offset' | 'timezone'>

/** The ticks after `after`, with the delay of each and what a change of the clocks does to it. */
export function previewTicks(rule: Rule, name: string, after: number, count: number): readonly NextTick[] {
  return nextTicks(rule, after, count).map((at) => ({ at, dueAt: dueAt(rule, name, at), note: clockNote(rule, at) }))
}

export function describeRule({ cron, every, offset, timezone }: Described): string {
  if (every !== null) {
    const shift = offset % every === 0 ? '' : `, shifted by ${formatDuration(offset % every)}`
    return `Every ${interval(every)}${shift}`
  }
  const text = cron === null ? null : describeCron(cron)
  return `${text ?? `Cron ${cron}`}, ${timezone}`
}

const UNITS = [
  [DAY, 'day'],
  [HOUR, 'hour'],
  [MINUTE, 'minute'],
  [SECOND, 'second'],
] as const

function interval(ms: number): string {
  const [size, name] = UNITS.find(([unit]) => ms % unit === 0) ?? [null, '']
  if (size === null) return formatDuration(ms)
  return ms === size ? name : `${ms / size} ${name}s`
}

const NUMBER = /^\d+$/
const LIST = /^\d+(?:,\d+)*$/
const STEP = /^\*\/(\d+)$/
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October']
const ALL_MONTHS = [...MONTHS, 'November', 'December']
const MAX_TIMES = 4

/** null: no words for it. */
function describeCron(cron: string): string | null {
  const fields = cronFields(cron)
  if (!fields) return null
  const [second, minute, hour, day, month, weekday] = fields
  const when = describeDays(day, month, weekday)
  if (when === null) return null
  const times = describeTimes(second, minute, hour)
  if (times === null) return null
  return times.isEvery ? `${times.text}${when === 'Every day' ? '' : ` ${lower(when)}`}` : `${when} at ${times.text}`
}

const lower = (text: string) =>
  text.startsWith('On ') || text.startsWith('Every ') ? `${text[0]?.toLowerCase()}${text.slice(1)}` : text

function describeTimes(
  second: string,
  minute: string,
  hour: string,
): { readonly text: string; readonly isEvery: boolean } | null {
  const every = (text: string) => ({ text, isEvery: true })
  const step = (field: string) => STEP.exec(field)?.[1]
  if (hour === '*' && minute === '*') {
    if (second === '0') return every('Every minute')
    if (second === '*') return every('Every second')
    const seconds = step(second)
    return seconds ? every(`Every ${seconds} seconds`) : null
  }
  if (second !== '0') return null
  const minutes = step(minute)
  if (hour === '*' && minutes) return every(`Every ${minutes} minutes`)
  const hours = step(hour)
  if (NUMBER.test(minute) && (hour === '*' || hours)) {
    const what = hours ? `Every ${hours} hours` : 'Every hour'
    return every(minute === '0' ? what : `${what} at minute ${minute}`)
  }
  if (!LIST.test(minute) || !LIST.test(hour)) return null
  const times = hour.split(',').flatMap((one) => minute.split(',').map((other) => `${two(one)}:${two(other)}`))
  return times.length > MAX_TIMES ? null : { text: list(times), isEvery: false }
}

function describeDays(day: string, month: string, weekday: string): string | null {
  const anyWeekday = weekday === '*' || weekday === '?'
  if (day === '*' || day === '?') {
    if (month !== '*') return null
    if (anyWeekday) return 'Every day'
    const days = weekdays(weekday)
    if (days === null) return null
    const key = [...days].sort().join()
    if (key === '1,2,3,4,5') return 'Every weekday'
    return `Every ${list(days.map((one) => WEEKDAYS[one] ?? ''))}`
  }
  if (!anyWeekday) return null
  const dayText = day === 'L' ? 'the last day' : LIST.test(day) ? `day ${list(day.split(','))}` : null
  if (dayText === null) return null
  if (month === '*') return `On ${dayText} of every month`
  if (!LIST.test(month)) return null
  return `On ${dayText} of ${list(month.split(',').map((one) => ALL_MONTHS[Number(one) - 1] ?? one))}`
}

const SHORT = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']

function weekdays(field: string): readonly number[] | null {
  const days = new Set<number>()
  for (const part of field.toUpperCase().split(',')) {
    const ends = part.split('-').map((one) => (/^[0-7]$/.test(one) ? Number(one) : SHORT.indexOf(one)))
    const [low = -1, high = low] = ends
    if (ends.length > 2 || low < 0 || high < low) return null
    for (let one = low; one <= high; one++) days.add(one % 7)
  }
  return [...days]
}

const two = (text: string) => text.padStart(2, '0')
const list = (items: readonly string[]) => new Intl.ListFormat('en').format(items)

/** The clocks change at most by this much. */
const LONGEST_CHANGE = 3 * HOUR

/** What a change of the clocks does to a tick; null: nothing. */
function clockNote({ cron, timezone }: Rule, at: number): string | null {
  if (cron === null || timezone === 'UTC') return null
  const before = transitionIn(timezone, at - LONGEST_CHANGE, at)
  if (before && before.at === at && before.after > before.before) {
    if (ticksAtOffset(cron, before.after, at)) return null
    return `The clocks go forward: the time of this tick does not exist on this day, so it runs at ${clock(timezone, at)}.`
  }
  const next = transitionIn(timezone, at, at + LONGEST_CHANGE)
  if (next && next.after < next.before && at >= next.at - (next.before - next.after)) {
    return `The clocks go back: ${clock(timezone, at)} occurs twice on this day.`
  }
  return null
}

function clock(zone: string, at: number): string {
  return new Date(wallOf(zone, at)).toISOString().slice(11, 16)
}
