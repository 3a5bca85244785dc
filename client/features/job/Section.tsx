/** Section of the job page. The children render the heading, next to their own tools. */
import type { ReactNode } from 'react'

export function Section({ name, children }: { name: string; children: ReactNode }) {
  return (
    <section aria-label={name} className="rounded-lg bg-surface px-4 py-4 ring-1 ring-line sm:px-5">
      {children}
    </section>
  )
}
