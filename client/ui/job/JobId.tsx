/** Last 8 characters of a job id; a click copies the whole id. */
import { useCopied } from '../use-copied.ts'

/** Ids start with a timestamp, so only their ends differ between neighbours. */
export function JobId({ id }: { id: string }) {
  const { feedback, copy } = useCopied()
  return (
    <button
      type="button"
      onClick={() => void copy(id)}
      title={`${id}\nClick to copy`}
      className="-mx-1 rounded px-1 font-mono text-muted text-xs transition-colors hover:bg-raised hover:text-ink"
    >
      <span className="sr-only">Copy job id </span>
      <span aria-live="polite">{feedback.toLowerCase() || id.slice(-8)}</span>
    </button>
  )
}
