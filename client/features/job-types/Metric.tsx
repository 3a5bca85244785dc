/** One number of a row with its chart; labelled on narrow pages, which have no column heads. */
import type { ReactNode } from 'react'

export function Metric({ name, chart, children }: { name: string; chart?: ReactNode; children: ReactNode }) {
  return (
    <div className="flex items-center justify-between gap-2 lg:justify-end">
      <span className="text-muted text-xs lg:sr-only">{name}</span>
      {chart !== undefined && <span className="hidden h-6 w-24 lg:block">{chart}</span>}
      <span className="whitespace-nowrap lg:min-w-11 lg:text-right">{children}</span>
    </div>
  )
}
