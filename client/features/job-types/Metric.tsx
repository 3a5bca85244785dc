/** A number of a row, with its picture; on narrow pages, where columns have no heads, with its name. */
import type { ReactNode } from 'react'

export function Metric({ name, picture, children }: { name: string; picture?: ReactNode; children: ReactNode }) {
  return (
    <div className="flex items-center justify-between gap-2 lg:justify-end">
      <span className="text-muted text-xs lg:sr-only">{name}</span>
      {picture !== undefined && <span className="hidden h-6 w-24 lg:block">{picture}</span>}
      <span className="whitespace-nowrap lg:min-w-11 lg:text-right">{children}</span>
    </div>
  )
}
