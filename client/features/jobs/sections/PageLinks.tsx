/** Pagination of one section. */
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { formatNumber } from '../../../lib/format-number.ts'
import type { JobGroup } from '../groups.ts'
import type { JobsUrl } from '../use-jobs-url.ts'
import { LAST_PAGE, PAGE_SIZE, pagesOf } from './pages.ts'

export function PageLinks({ group, count, url }: { group: JobGroup; count: number; url: JobsUrl }) {
  const current = url.pageOf(group.name)
  const { last, isCut, shown } = pagesOf(count, current)
  if (last === 1 && current === 1) return null
  const to = (page: number) => url.address({ [group.name]: page === 1 ? null : String(page) })
  return (
    <nav
      aria-label={`Pages of ${group.title}`}
      className="flex flex-wrap items-center gap-x-0.5 gap-y-1 border-line/60 border-t px-2 py-1.5 sm:px-3"
    >
      <PageLink href={to(Math.min(last, current - 1))} isDisabled={current <= 1} label="Previous page">
        ‹ Previous
      </PageLink>
      {shown.map((page, place) =>
        page === null ? (
          <span key={`gap ${shown[place - 1]}`} aria-hidden="true" className="w-5 text-center text-faint">
            …
          </span>
        ) : (
          <PageLink key={page} href={to(page)} isCurrent={page === current} label={`Page ${formatNumber(page)}`}>
            {formatNumber(page)}
          </PageLink>
        ),
      )}
      <PageLink href={to(current + 1)} isDisabled={current >= last} label="Next page">
        Next ›
      </PageLink>
      {isCut && current >= LAST_PAGE - 5 && (
        <p className="basis-full px-2 text-muted text-xs sm:basis-auto">
          Pages end after the first {formatNumber(LAST_PAGE * PAGE_SIZE)} jobs.{' '}
          <Link
            href={url.address({ view: 'table', q: `status:${group.statuses.join(',')}` })}
            className="text-ink underline underline-offset-2"
          >
            The table shows the rest
          </Link>
        </p>
      )}
    </nav>
  )
}

interface PageLinkProps {
  readonly href: string
  readonly label: string
  readonly isCurrent?: boolean
  readonly isDisabled?: boolean
  readonly children: ReactNode
}

function PageLink({ href, label, isCurrent = false, isDisabled = false, children }: PageLinkProps) {
  const look = 'inline-flex h-7 min-w-7 items-center justify-center rounded-md px-2 text-xs transition-colors'
  if (isDisabled) {
    return (
      <span aria-disabled="true" className={`${look} text-faint`}>
        {children}
      </span>
    )
  }
  return (
    <Link
      href={href}
      aria-label={label}
      aria-current={isCurrent ? 'page' : undefined}
      className={`${look} ${isCurrent ? 'bg-raised font-semibold text-ink' : 'text-muted hover:bg-raised hover:text-ink'}`}
    >
      {children}
    </Link>
  )
}
