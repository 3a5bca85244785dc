/** Table view: a dense list of jobs with a filter. */
import type { StatusCounts } from '../../../../shared/status.ts'
import { parseFilter } from '../../../lib/filter/filter.ts'
import { FilterBar } from '../../../ui/filter/FilterBar.tsx'
import { Problems } from '../../../ui/filter/Problems.tsx'
import { StatusToggles } from '../../../ui/filter/StatusToggles.tsx'
import type { JobsUrl } from '../use-jobs-url.ts'
import { JobsTable } from './JobsTable.tsx'
import { useFilterCounts } from './use-filter-counts.ts'

export function Table({ counts, url }: { counts: StatusCounts | undefined; url: JobsUrl }) {
  const filter = parseFilter(url.text)
  const countsWithin = useFilterCounts(filter, counts)
  const apply = (text: string) => text !== url.text && url.go({ view: 'table', q: text || null })
  return (
    <>
      <FilterBar text={url.text} hasProblems={filter.problems.length > 0} onApply={apply} />
      <StatusToggles text={url.text} active={filter.statuses} counts={countsWithin} onApply={apply} />
      {filter.problems.length > 0 ? (
        <Problems problems={filter.problems} />
      ) : (
        <JobsTable text={url.text} filter={filter} onApply={apply} />
      )}
    </>
  )
}
