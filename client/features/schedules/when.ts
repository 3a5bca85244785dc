/** Instants of schedules as text, in the time zone of the schedule. */
import { localDate, nextDateAt, wallOf } from '../../../shared/schedules/zone.ts'

const DATE = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', weekday: 'short', day: 'numeric', month: 'short' })

/** `today at 03:00`, `Fri 20 Nov at 03:00`; the year only if it is another one. */
export function whenText(at: number, zone: string, now: number): string {
  return `${dayText(at, zone, now)} at ${timeText(at, zone)}`
}

/** `Today at 03:00`, for the beginning of a line. */
export function whenTitle(at: number, zone: string, now: number): string {
  const text = whenText(at, zone, now)
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

function dayText(at: number, zone: string, now: number): string {
  const date = localDate(zone, at)
  if (date === localDate(zone, now)) return 'today'
  if (date === localDate(zone, nextDateAt(zone, now))) return 'tomorrow'
  if (localDate(zone, nextDateAt(zone, at)) === localDate(zone, now)) return 'yesterday'
  const year = date.slice(0, 4)
  const isThisYear = year === localDate(zone, now).slice(0, 4)
  return `${DATE.format(wallOf(zone, at)).replace(',', '')}${isThisYear ? '' : ` ${year}`}`
}

/** With seconds only where they are not 0. */
export function timeText(at: number, zone: string): string {
  const wall = new Date(wallOf(zone, at))
  return wall.toISOString().slice(11, wall.getUTCSeconds() === 0 ? 16 : 19)
}
