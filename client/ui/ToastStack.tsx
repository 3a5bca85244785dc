/** Shows what was said, the newest last; screen readers hear it. */
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { Button } from './Button.tsx'
import { Sign } from './Icon.tsx'
import { type Toast, toasts } from './toasts.ts'

const LOOK_AGAIN_MS = 1_000

export function ToastStack() {
  const shown = useSyncExternalStore(toasts.subscribe, toasts.snapshot)
  return (
    <div
      role="status"
      aria-live="polite"
      // What is new is said, not the whole stack again.
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

function ToastCard({ toast: { id, text, isProblem, undo, ms } }: { toast: Toast }) {
  const card = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // Whoever is about to press its button is not left behind.
    const end = () => {
      if (card.current?.matches(':hover, :focus-within')) timer = setTimeout(end, LOOK_AGAIN_MS)
      else toasts.dismiss(id)
    }
    let timer = setTimeout(end, ms)
    return () => clearTimeout(timer)
  }, [id, ms])
  return (
    <div
      ref={card}
      data-testid="toast"
      data-tone={isProblem ? 'failed' : 'completed'}
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
        <Sign of="cross" />
      </Button>
    </div>
  )
}
