/** Code block with a copy button. */
import { useRef } from 'react'
import { serverUrl } from '../lib/server-url.ts'
import { useSession } from '../session/use-session.ts'
import { Button } from './Button.tsx'
import { useCopied } from './use-copied.ts'

export function CopyBlock({ label, code }: { label: string; code: string }) {
  const block = useRef<HTMLPreElement>(null)
  const { feedback, copy } = useCopied(() => (selectText(block.current) ? 'Selected: press Ctrl+C' : ''))
  const isGuarded = useSession()?.by === 'application' && code.includes(serverUrl())
  return (
    <figure>
      <figcaption className="flex h-8 items-center justify-between gap-2 text-muted text-xs">
        {label}
        <Button
          isSmall
          weight="quiet"
          onClick={() => void copy(code)}
          aria-label={`Copy: ${label}`}
          className="-mr-2 text-ink"
        >
          <span aria-live="polite">{feedback || 'Copy'}</span>
        </Button>
      </figcaption>
      <pre ref={block} className="whitespace-pre-wrap rounded-md bg-raised p-3 font-mono text-xs/5 wrap-anywhere">
        {code}
      </pre>
      {isGuarded && (
        <p data-testid="guarded" className="mt-1 text-muted text-xs">
          Your application controls access: add the credentials that it requires.
        </p>
      )}
    </figure>
  )
}

/** Fallback for a blocked clipboard: the user copies the selection. */
function selectText(element: HTMLElement | null): boolean {
  const selection = getSelection()
  if (!element || !selection) return false
  selection.selectAllChildren(element)
  return true
}
