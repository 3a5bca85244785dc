/** An instant as people say it, ticking, with the exact time on hover. */
import { countdown, shortAge } from '../../lib/format-duration.ts'
import { useNow } from '../../live/use-now.ts'

/** `isDue`: it may be to come. What has happened is never in the future, whatever a clock that ticks once a second says. */
export function When({ at, isDue = false }: { at: number; isDue?: boolean }) {
  const now = useNow()
  const date = new Date(at)
  return (
    <time dateTime={date.toISOString()} title={exactly(at)} className="whitespace-nowrap">
      {isDue && at > now ? `in ${countdown(at - now)}` : `${shortAge(now - at)} ago`}
    </time>
  )
}

/** In local time and in UTC, which is what servers log. */
export function exactly(at: number): string {
  const date = new Date(at)
  return `${date.toLocaleString()}\n${date.toISOString()}`
}

/** In the reader's time zone, which it names. */
export function localTime(at: number): string {
  return new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'long' })
}
