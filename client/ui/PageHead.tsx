/** Page heading with an optional hint and actions. */
import type { ReactNode } from 'react'

export interface PageHeadProps {
  readonly title: string
  readonly hint?: string
  readonly children?: ReactNode
}

export function PageHead({ title, hint, children }: PageHeadProps) {
  return (
    <div className="mb-4 flex flex-wrap items-end justify-between gap-x-6 gap-y-3 px-4 sm:px-5">
      <div className="min-w-0">
        <h1 className="font-semibold text-lg">{title}</h1>
        {hint !== undefined && <p className="mt-0.5 max-w-2xl text-muted">{hint}</p>}
      </div>
      {children}
    </div>
  )
}
