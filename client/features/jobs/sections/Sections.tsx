/** Sections view: an accordion with one section per group of statuses. */
import { Accordion } from 'radix-ui'
import type { StatusCounts } from '../../../../shared/status.ts'
import { GROUPS } from '../groups.ts'
import type { JobsUrl } from '../use-jobs-url.ts'
import { Section } from './Section.tsx'

export function Sections({ counts, url }: { counts: StatusCounts | undefined; url: JobsUrl }) {
  return (
    <Accordion.Root
      type="multiple"
      value={[...url.open]}
      onValueChange={(open) => url.go({ open: open.join(',') }, { replace: true })}
      className="grid gap-3"
    >
      {GROUPS.map((group) => (
        <Section key={group.name} group={group} counts={counts} url={url} />
      ))}
    </Accordion.Root>
  )
}
