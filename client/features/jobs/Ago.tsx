/** How long ago something was, in words, with the exact time on hover. */
import { shortAge } from '../../lib/format-duration.ts'
import { useNow } from '../../live/use-now.ts'

export function Ago({ at }: { at: number }) {
  const date = new Date(at)
  return (
    <time dateTime={date.toISOString()} title={date.toLocaleString()}>
      {shortAge(useNow() - at)} ago
    </time>
  )
}
