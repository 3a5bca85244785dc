/** A quiet surface with an optional heading. */
import type { ReactNode } from 'react'

export function Panel({ title, children }: { title?: string; children: ReactNode }) {
  return (
    <section className="rounded-lg bg-surface p-5 ring-1 ring-line">
      {title && <h2 className="mb-2 font-semibold text-base">{title}</h2>}
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
