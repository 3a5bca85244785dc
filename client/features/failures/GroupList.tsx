/** List of failure groups. The URL holds the expanded ones; new groups wait behind a button. */
import { useSearchParams } from 'wouter'
import { formatNumber } from '../../lib/format-number.ts'
import { useStats } from '../../live/use-stats.ts'
import { FailedToLoad } from '../../ui/FailedToLoad.tsx'
import { NewJobsPill } from '../../ui/job/NewJobsPill.tsx'
import { COLUMNS, GroupRow, SkeletonGroup } from './GroupRow.tsx'
import { groupKey } from './group-filter.ts'
import { NoFailures } from './NoFailures.tsx'
import { useGroups } from './use-groups.ts'

const SKELETON = [1, 2, 3, 4, 5]

export function GroupList({ type }: { type: string | null }) {
  const { byType } = useStats().data ?? {}
  const { query, groups, waiting, isCut, sortAgain } = useGroups(type)
  const [params, setParams] = useSearchParams()
  const open = params.getAll('group')
  if (query.error && !groups) {
    return <FailedToLoad what="the failures" error={query.error} onRetry={() => void query.refetch()} />
  }
  if (groups?.length === 0) return <NoFailures type={type} />

  function toggle(key: string) {
    setParams(
      (before) => {
        const next = new URLSearchParams(before)
        if (next.has('group', key)) next.delete('group', key)
        else next.append('group', key)
        return next
      },
      { replace: true },
    )
  }

  return (
    <section aria-label="Failure groups" className="relative">
      <NewJobsPill count={waiting} isMore={false} onShow={sortAgain} />
      <div className="overflow-clip rounded-lg bg-surface ring-1 ring-line">
        <div className={`${COLUMNS} hidden h-8 border-line border-b text-muted text-xs lg:grid`} aria-hidden="true">
          <span className="pl-5.5">Type and error</span>
          <span>24 hours</span>
          <span className="text-right">1 h</span>
          <span className="text-right">24 h</span>
          <span className="text-right">7 d</span>
          <span className="text-right">Last seen</span>
          <span />
        </div>
        <ul aria-busy={!groups} className="divide-y divide-line/60">
          {groups
            ? groups.map((group) => {
                const key = groupKey(group)
                return (
                  <GroupRow
                    key={key}
                    group={group}
                    hasNoFailedJobs={byType !== undefined && (byType[group.type]?.failed ?? 0) === 0}
                    isOpen={open.includes(key)}
                    onToggle={() => toggle(key)}
                  />
                )
              })
            : SKELETON.map((n) => <SkeletonGroup key={n} />)}
        </ul>
      </div>
      <div aria-live="polite" className="mt-3 flex min-h-8 items-center gap-3 px-4 text-muted sm:px-5">
        {isCut && (
          <p>Showing the {formatNumber(query.data?.length ?? 0)} most frequent groups. Select a type to see more.</p>
        )}
        {query.error && <p role="status">Could not refresh: {query.error.message}</p>}
      </div>
    </section>
  )
}
