/** A part of the job page; its heading stands beside whatever tools it has. */
import type { ReactNode } from 'react'

export function Section({ name, children }: { name: string; children: ReactNode }) {
  return (
    <section aria-label={name} className="rounded-lg bg-surface px-4 py-4 ring-1 ring-line sm:px-5">
      {children}
    </section>
  )
}
