/** A quiet surface with an optional heading. */
import type { ReactNode } from 'react'

export interface PanelProps {
  readonly title?: string
  /** It is all there is: its heading is that of the page. */
  readonly isPage?: boolean
  readonly children: ReactNode
}

export function Panel({ title, isPage = false, children }: PanelProps) {
  const Heading = isPage ? 'h1' : 'h2'
  return (
    <section className="rounded-lg bg-surface p-5 ring-1 ring-line">
      {title && <Heading className="mb-2 font-semibold text-base">{title}</Heading>}
      {children}
    </section>
  )
}

export function Button({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="rounded-md bg-raised px-3 py-1.5 font-medium transition-colors hover:bg-line"
    >
      {children}
    </button>
  )
}
