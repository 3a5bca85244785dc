/** The end of a job's id, which tells neighbours apart (the beginning is the time); a click copies all of it. */
import { useState } from 'react'
import { copyText } from '../lib/copy.ts'

const FEEDBACK_MS = 1_500

export function JobId({ id }: { id: string }) {
  const [said, setSaid] = useState('')
  async function copy() {
    setSaid((await copyText(id)) ? 'copied' : 'no clipboard')
    setTimeout(() => setSaid(''), FEEDBACK_MS)
  }
  return (
    <button
      type="button"
      onClick={copy}
      title={`${id}\nClick to copy`}
      className="-mx-1 rounded px-1 font-mono text-muted text-xs transition-colors hover:bg-raised hover:text-ink"
    >
      <span className="sr-only">Copy job id </span>
      <span aria-live="polite">{said || id.slice(-8)}</span>
    </button>
  )
}
