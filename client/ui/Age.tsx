/** Relative times that update every second, with the exact time on hover. */
import { countdown, shortAge } from '../lib/format-duration.ts'
import { useNow } from '../live/use-now.ts'

export interface AgeProps {
  readonly at: number
  /** "5m" for columns with a heading (screen readers get "5m ago"), "5m ago" inside a sentence. */
  readonly isShort?: boolean
  /** The time may be in the future: "in 5m". */
  readonly isDue?: boolean
}

export function Age({ at, isShort = false, isDue = false }: AgeProps) {
  const now = useNow()
  const isFuture = isDue && at > now
  return (
    <time dateTime={new Date(at).toISOString()} title={exactTime(at)} className="whitespace-nowrap">
      {isFuture ? `in ${countdown(at - now)}` : shortAge(now - at)}
      {!isFuture && (isShort ? <span className="sr-only"> ago</span> : ' ago')}
    </time>
  )
}

/** Time left until `at`: "in 5m", or "now". */
export function Until({ at }: { at: number }) {
  const ms = at - useNow()
  return ms <= 0 ? 'now' : `in ${countdown(ms)}`
}

/** Local time and UTC. Servers log in UTC. */
export function exactTime(at: number): string {
  const date = new Date(at)
  return `${date.toLocaleString()}\n${date.toISOString()}`
}

/** Local time with its time zone. */
export function localTime(at: number): string {
  return new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'long' })
}
