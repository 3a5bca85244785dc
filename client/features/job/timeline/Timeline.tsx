/** Timeline section; the oldest entries of a long timeline are collapsed. */
import { useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { FailedToLoad } from '../../../ui/FailedToLoad.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { Section } from '../Section.tsx'
import type { JobData } from '../use-job.ts'
import { TimelineItem } from './TimelineItem.tsx'
import type { TimelineEntry } from './timeline.ts'
import { useTimeline } from './use-timeline.ts'

const SHOWN = 12

export function Timeline({ job }: { job: JobData }) {
  const { timeline, attempts } = useTimeline(job)
  const [isExpanded, setIsExpanded] = useState(false)
  if (attempts.error && !timeline) {
    return <FailedToLoad what="the attempts" error={attempts.error} onRetry={() => void attempts.refetch()} />
  }
  const collapsed = timeline && !isExpanded && timeline.length > SHOWN + 1 ? timeline.length - SHOWN : 0
  const longest = Math.max(1, ...(timeline ?? []).map(spanOf))
  return (
    <Section name="Timeline">
      <h2 className="mb-3 font-semibold">Timeline</h2>
      {!timeline && <Skeleton className="h-24 w-full" />}
      {collapsed > 0 && (
        <Button isSmall className="mb-3" onClick={() => setIsExpanded(true)}>
          Show {collapsed} earlier
        </Button>
      )}
      <ol data-testid="timeline" aria-busy={!timeline}>
        {timeline?.slice(collapsed).map((entry) => (
          <TimelineItem key={entry.key} entry={entry} longestMs={longest} />
        ))}
      </ol>
    </Section>
  )
}

function spanOf(entry: TimelineEntry): number {
  if (entry.kind !== 'attempt') return 0
  const { startedAt, finishedAt } = entry.attempt
  return entry.waitedMs + finishedAt - startedAt
}
