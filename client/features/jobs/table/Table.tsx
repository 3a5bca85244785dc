/** The jobs as a dense table behind a filter. */
import type { StatusCounts } from '../../../../shared/status.ts'
import { readFilter } from '../filter/filter.ts'
import type { JobsUrl } from '../use-jobs-url.ts'
import { FilterBar } from './FilterBar.tsx'
import { Problems } from './Problems.tsx'
import { StatusToggles } from './StatusToggles.tsx'
import { TableJobs } from './TableJobs.tsx'
import { useFilterCounts } from './use-filter-counts.ts'

export function Table({ counts, url }: { counts: StatusCounts | undefined; url: JobsUrl }) {
  const filter = readFilter(url.text)
  const within = useFilterCounts(filter, counts)
  const ask = (text: string) => text !== url.text && url.go({ view: 'table', q: text || null })
  return (
    <>
      <FilterBar text={url.text} hasProblems={filter.problems.length > 0} onAsk={ask} />
      <StatusToggles text={url.text} asked={filter.statuses} counts={within} onAsk={ask} />
      {filter.problems.length > 0 ? (
        <Problems problems={filter.problems} />
      ) : (
        <TableJobs text={url.text} filter={filter} onAsk={ask} />
      )}
    </>
  )
}
