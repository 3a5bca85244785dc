/** How long ago something was, ticking. */
import { countdown, shortAge } from '../lib/format-duration.ts'
import { useNow } from '../live/use-now.ts'

export function Age({ at }: { at: number }) {
  const date = new Date(at)
  return (
    <time dateTime={date.toISOString()} title={date.toLocaleString()}>
      {shortAge(useNow() - at)}
      <span className="sr-only"> ago</span>
    </time>
  )
}

/** How long until something is due, ticking. */
export function Until({ at }: { at: number }) {
  const ms = at - useNow()
  return ms <= 0 ? 'now' : `in ${countdown(ms)}`
}
