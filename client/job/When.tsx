/** An instant as people say it, ticking, with the exact time on hover. */
import { countdown, shortAge } from '../format/duration.ts'
import { useNow } from '../live/use-now.ts'

export function When({ at }: { at: number }) {
  const now = useNow()
  const date = new Date(at)
  return (
    <time dateTime={date.toISOString()} title={exactly(at)} className="whitespace-nowrap">
      {at > now ? `in ${countdown(at - now)}` : `${shortAge(now - at)} ago`}
    </time>
  )
}

/** In local time and in UTC, which is what servers log. */
export function exactly(at: number): string {
  const date = new Date(at)
  return `${date.toLocaleString()}\n${date.toISOString()}`
}
