/** Collapsible section: colour, exact count, and its jobs while open. */
import { Accordion } from 'radix-ui'
import type { StatusCounts } from '../../../../shared/status.ts'
import { formatNumber } from '../../../lib/format-number.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { countOf, GROUPS, type JobGroup } from '../groups.ts'
import type { JobsUrl } from '../use-jobs-url.ts'
import { SectionJobs } from './SectionJobs.tsx'

export interface SectionProps {
  readonly group: JobGroup
  readonly counts: StatusCounts | undefined
  readonly url: JobsUrl
}

export function Section({ group, counts, url }: SectionProps) {
  const { name, title, statuses } = group
  const count = counts && countOf(group, counts)
  return (
    <Accordion.Item
      value={name}
      data-group={name}
      data-tone={name}
      // Hidden until the counts are loaded: they determine the height of the first section, so the others would move.
      className={`overflow-clip rounded-lg bg-surface ring-1 ring-line ${counts || group === GROUPS[0] ? '' : 'invisible'}`}
    >
      <Accordion.Header asChild>
        <h2>
          <Accordion.Trigger className="group flex h-12 w-full items-center gap-3 px-4 text-left transition-colors hover:bg-raised/50 focus-visible:-outline-offset-2 sm:px-5">
            <span aria-hidden="true" className="h-5 w-1 rounded-full bg-tone" />
            <span className="font-semibold">{title}</span>
            <span
              data-testid="section-count"
              className="min-w-7 rounded-full bg-tone/14 px-2 text-center font-medium text-tone-ink text-xs/5"
            >
              {count === undefined ? <Skeleton className="h-5 w-6" /> : formatNumber(count)}
            </span>
            {counts && statuses.length > 1 && (
              <span className="hidden truncate text-muted text-xs sm:inline">
                {statuses.map((status) => `${formatNumber(counts[status])} ${status}`).join(' · ')}
              </span>
            )}
            <Icon
              name="down"
              className="ml-auto size-3 text-muted transition-transform group-data-[state=open]:rotate-180 motion-reduce:transition-none"
            />
          </Accordion.Trigger>
        </h2>
      </Accordion.Header>
      <Accordion.Content className="border-line/60 border-t motion-safe:data-[state=open]:animate-appear">
        <SectionJobs group={group} counts={counts} url={url} />
      </Accordion.Content>
    </Accordion.Item>
  )
}
