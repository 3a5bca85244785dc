/** A piece of code with a button that copies it. Where it calls this very server and that is not all it takes, it says so. */
import { useRef, useState } from 'react'
import { addressOf } from '../lib/api.ts'
import { copyText } from '../lib/copy.ts'
import { useSession } from '../session/use-session.ts'

const FEEDBACK_MS = 2_000

export function CopyBlock({ label, code }: { label: string; code: string }) {
  const block = useRef<HTMLPreElement>(null)
  const [said, setSaid] = useState('')
  const isGuarded = useSession()?.by === 'application' && code.includes(addressOf('.').replace(/\/$/, ''))

  async function copy() {
    setSaid((await copyText(code)) ? 'Copied' : selected(block.current) ? 'Selected: press Ctrl+C' : '')
    setTimeout(() => setSaid(''), FEEDBACK_MS)
  }

  return (
    <figure>
      <figcaption className="flex h-8 items-center justify-between gap-2 text-muted text-xs">
        {label}
        <button
          type="button"
          onClick={copy}
          aria-label={`Copy: ${label}`}
          className="-mr-2 rounded-md px-2 py-1 font-medium text-ink transition-colors hover:bg-raised"
        >
          <span aria-live="polite">{said || 'Copy'}</span>
        </button>
      </figcaption>
      <pre ref={block} className="whitespace-pre-wrap rounded-md bg-raised p-3 font-mono text-xs/5 wrap-anywhere">
        {code}
      </pre>
      {isGuarded && (
        <p data-testid="guarded" className="mt-1 text-muted text-xs">
          Your application decides who may call: add what it asks for.
        </p>
      )}
    </figure>
  )
}

function selected(element: HTMLElement | null): boolean {
  const selection = getSelection()
  if (!element || !selection) return false
  selection.selectAllChildren(element)
  return true
}
