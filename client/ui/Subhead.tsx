/** Heading of one of many things on a page: link back, name, badges, actions and lines below. */
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { Icon } from './Icon.tsx'

export interface SubheadProps {
  readonly title: string
  readonly badges: ReactNode
  readonly back: string
  readonly backTo: string
  readonly actions: ReactNode
  readonly children: ReactNode
}

export function Subhead({ title, badges, back, backTo, actions, children }: SubheadProps) {
  return (
    <header className="mb-4 px-4 sm:px-5">
      <p className="mb-1 text-muted">
        <Link
          href={backTo}
          className="-ml-0.5 inline-flex min-h-6 max-w-full items-center gap-1 rounded wrap-anywhere hover:text-ink"
        >
          <Icon name="left" />
          {back}
        </Link>
      </p>
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0 flex-1 basis-72">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <h1 className="min-w-0 font-semibold text-xl tracking-tight wrap-anywhere">{title}</h1>
            {badges}
          </div>
          <div className="mt-1 grid min-h-5 gap-0.5">{children}</div>
        </div>
        <div className="flex min-h-8 flex-wrap gap-2">{actions}</div>
      </div>
    </header>
  )
}
