/** Stack of toasts, the newest last, announced by screen readers. */
import { useEffect, useRef } from 'react'
import { useStore } from '../lib/store.ts'
import { type Toast, toasts } from '../lib/toasts.ts'
import { Button } from './Button.tsx'
import { Icon } from './Icon.tsx'

const RECHECK_MS = 1_000

export function ToastStack() {
  const shown = useStore(toasts)
  return (
    <div
      role="status"
      aria-live="polite"
      // Announces only new toasts.
      aria-atomic="false"
      aria-relevant="additions"
      className="grid gap-2"
    >
      {shown.map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
    </div>
  )
}

function ToastCard({ toast: { id, text, isError, undo, ms } }: { toast: Toast }) {
  const card = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // A hovered or focused toast stays, because its button may be pressed next.
    const end = () => {
      if (card.current?.matches(':hover, :focus-within')) timer = setTimeout(end, RECHECK_MS)
      else toasts.dismiss(id)
    }
    let timer = setTimeout(end, ms)
    return () => clearTimeout(timer)
  }, [id, ms])
  return (
    <div
      ref={card}
      data-testid="toast"
      data-tone={isError ? 'failed' : 'completed'}
      className="pointer-events-auto flex items-center gap-3 rounded-lg bg-surface py-2 pr-2 pl-3 shadow-xl ring-1 ring-line motion-safe:animate-appear"
    >
      <span aria-hidden="true" className="size-2 shrink-0 rounded-full bg-tone" />
      <p className="min-w-0 flex-1 wrap-anywhere">{text}</p>
      {undo && (
        <Button
          isSmall
          data-undo
          onClick={() => {
            undo.run()
            toasts.dismiss(id)
          }}
        >
          {undo.label}
        </Button>
      )}
      <Button isSmall weight="quiet" aria-label="Dismiss" onClick={() => toasts.dismiss(id)}>
        <Icon name="cross" />
      </Button>
    </div>
  )
}
