/** Modal dialog: traps the focus, closes on Escape, and restores the focus afterwards. */
import { Dialog as Radix } from 'radix-ui'
import { type ReactNode, useRef } from 'react'

export interface DialogProps {
  readonly title: string
  readonly description?: string
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}

export function Dialog({ title, description, isOpen, onClose, children }: DialogProps) {
  const opener = useRef<Element>(null)

  function rememberOpener(): void {
    opener.current = document.activeElement
  }

  /** Radix restores the focus only to its own triggers. The opener may be gone, for example a deleted row. */
  function restoreFocus(event: Event): void {
    event.preventDefault()
    const to = opener.current?.isConnected ? opener.current : document.getElementById('content')
    if (to instanceof HTMLElement) to.focus({ preventScroll: true })
  }

  return (
    <Radix.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-black/40 motion-safe:animate-appear" />
        <Radix.Content
          onOpenAutoFocus={rememberOpener}
          onCloseAutoFocus={restoreFocus}
          {...(description === undefined ? { 'aria-describedby': undefined } : {})}
          className="fixed top-[15vh] left-1/2 z-50 grid max-h-[80vh] w-[min(32rem,calc(100vw-2rem))] -translate-x-1/2 gap-4 overflow-y-auto rounded-xl bg-surface p-5 shadow-2xl ring-1 ring-line motion-safe:animate-appear"
        >
          <div>
            <Radix.Title className="font-semibold text-base">{title}</Radix.Title>
            {description !== undefined && (
              <Radix.Description className="mt-1 text-muted">{description}</Radix.Description>
            )}
          </div>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
