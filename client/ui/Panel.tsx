/** Surface with an optional heading. */
import type { ReactNode } from 'react'

export interface PanelProps {
  readonly title?: string
  /** The panel is the whole page, so its heading is an `h1`. */
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
