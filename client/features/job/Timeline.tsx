/** The job's life, told in the order it happened; of a long one the beginning is folded away. */
import { useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { FailedToLoad } from '../../ui/FailedToLoad.tsx'
import { Bone } from '../../ui/Skeleton.tsx'
import { Section } from './Section.tsx'
import { ChapterItem } from './TimelineItem.tsx'
import type { JobData } from './use-job.ts'
import { useStory } from './use-timeline.ts'

const SHOWN = 12

export function Story({ job }: { job: JobData }) {
  const { story, attempts } = useStory(job)
  const [isWhole, setIsWhole] = useState(false)
  if (attempts.error && !story) {
    return <FailedToLoad what="the attempts" error={attempts.error} onRetry={() => void attempts.refetch()} />
  }
  const folded = story && !isWhole && story.length > SHOWN + 1 ? story.length - SHOWN : 0
  const longest = Math.max(1, ...(story ?? []).map(spanOf))
  return (
    <Section name="Timeline">
      <h2 className="mb-3 font-semibold">Timeline</h2>
      {!story && <Bone className="h-24 w-full" />}
      {folded > 0 && (
        <Button isSmall className="mb-3" onClick={() => setIsWhole(true)}>
          Show {folded} earlier
        </Button>
      )}
      <ol data-testid="story" aria-busy={!story}>
        {story?.slice(folded).map((chapter) => (
          <ChapterItem key={chapter.key} chapter={chapter} longestMs={longest} />
        ))}
      </ol>
    </Section>
  )
}

function spanOf(chapter: NonNullable<ReturnType<typeof useStory>['story']>[number]): number {
  if (chapter.kind !== 'attempt') return 0
  const { startedAt, finishedAt } = chapter.attempt
  return chapter.waitedMs + finishedAt - startedAt
}
