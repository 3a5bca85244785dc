/** List of all groups: rules, keys and numbers of jobs. */
import { Button } from '../../../ui/Button.tsx'
import { FailedToLoad } from '../../../ui/FailedToLoad.tsx'
import { PageHead } from '../../../ui/PageHead.tsx'
import { SearchField } from '../../../ui/SearchField.tsx'
import { useSettled } from '../../../ui/use-settled.ts'
import { EditRules } from '../rules/EditRules.tsx'
import { useGroupsUrl } from '../use-groups-url.ts'
import { COLUMNS, GroupRow, SkeletonGroup } from './GroupRow.tsx'
import { NoGroups } from './NoGroups.tsx'
import { useGroups } from './use-groups.ts'

/** The search appears from this number of groups on. */
const SEARCH_FROM = 9

export function GroupsPage() {
  const { search, edit, set } = useGroupsUrl()
  const { query, groups } = useGroups(useSettled(search))
  const edited = groups?.find(({ name }) => name === edit)
  if (query.error && !groups) {
    return <FailedToLoad isPage what="the groups" error={query.error} onRetry={() => void query.refetch()} />
  }
  return (
    <>
      <PageHead title="Groups" hint="Limits, rate and order per key, such as a tenant or an account.">
        {(search !== '' || (groups?.length ?? 0) >= SEARCH_FROM) && (
          <SearchField label="Find a group" text={search} onText={(text) => set('q', text)} />
        )}
      </PageHead>
      {groups?.length === 0 && search === '' ? (
        <NoGroups />
      ) : (
        <div className="overflow-clip rounded-lg bg-surface ring-1 ring-line">
          <div aria-hidden="true" className={`${COLUMNS} hidden h-8 border-line border-b text-muted text-xs lg:grid`}>
            <span>Group and rules per key</span>
            <span className="text-right">Keys</span>
            <span className="text-right">Blocked</span>
            <span className="text-right">Pending</span>
            <span className="text-right">Processing</span>
            <span />
          </div>
          <ul aria-label="Groups" aria-busy={!groups} className="divide-y divide-line/60">
            {groups?.map((group) => (
              <GroupRow key={group.name} group={group} onEdit={() => set('edit', group.name, { replace: false })} />
            )) ?? [1, 2, 3].map((n) => <SkeletonGroup key={n} />)}
          </ul>
          {query.hasNextPage && (
            <p className="border-line border-t px-4 py-3 sm:px-5">
              <Button isSmall disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                {query.isFetchingNextPage ? 'Loading…' : 'Show more'}
              </Button>
            </p>
          )}
          {groups?.length === 0 && <p className="p-5 text-muted">No group name contains “{search}”.</p>}
        </div>
      )}
      {edited && (
        <EditRules
          key={edited.name}
          group={edited}
          keyName={null}
          override={edited.override}
          onClose={() => set('edit', null)}
        />
      )}
    </>
  )
}
