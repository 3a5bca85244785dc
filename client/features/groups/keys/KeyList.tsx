/** Keys of a group, by most blocked jobs, longest wait or most running jobs. */
import { useRef } from 'react'
import { useHeld } from '../../../live/use-held.ts'
import { Button } from '../../../ui/Button.tsx'
import { FailedToLoad } from '../../../ui/FailedToLoad.tsx'
import { Segments } from '../../../ui/form/Segments.tsx'
import { SearchField } from '../../../ui/SearchField.tsx'
import { useRowKeys } from '../../../ui/use-row-keys.ts'
import { useSettled } from '../../../ui/use-settled.ts'
import { type KeySort, useGroupsUrl } from '../use-groups-url.ts'
import { COLUMNS, KeyRow, SkeletonKey } from './KeyRow.tsx'
import { useKeys } from './use-keys.ts'

const SORTS = [
  ['blocked', 'Blocked'],
  ['oldest', 'Longest wait'],
  ['running', 'Running'],
] as const satisfies readonly (readonly [KeySort, string])[]

/** `hasKeys` null: not known yet. */
export function KeyList({ name, hasKeys }: { name: string; hasKeys: boolean | null }) {
  const { search, sort, set } = useGroupsUrl()
  const area = useRef<HTMLUListElement>(null)
  const isHeld = useHeld(area)
  const { query, keys } = useKeys({ name, search: useSettled(search), sort, isHeld })
  useRowKeys(area)
  if (query.error && !keys) {
    return (
      <div className="mt-4">
        <FailedToLoad what="the keys" error={query.error} onRetry={() => void query.refetch()} />
      </div>
    )
  }
  return (
    <section aria-label="Keys" className="mt-6">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h2 className="px-4 font-semibold sm:px-5">Keys</h2>
        <div className="flex min-w-0 flex-wrap items-center gap-2 max-sm:px-4">
          <fieldset>
            <legend className="sr-only">Sort by</legend>
            <Segments
              name="sort"
              choices={SORTS}
              value={sort}
              onChange={(next) => set('sort', next === 'blocked' ? null : next)}
            />
          </fieldset>
          <SearchField label="Find a key" text={search} onText={(text) => set('q', text)} />
        </div>
      </div>
      <div className="overflow-clip rounded-lg bg-surface ring-1 ring-line">
        <div aria-hidden="true" className={`${COLUMNS} hidden h-8 border-line border-b text-muted text-xs md:grid`}>
          <span>Key</span>
          <span className="text-right">Running</span>
          <span className="text-right">Pending</span>
          <span className="text-right">Blocked</span>
          <span className="text-right">Longest wait</span>
          <span>Next</span>
        </div>
        <ul ref={area} aria-label="Keys" aria-busy={!keys} className="divide-y divide-line/60">
          {keys?.map((row) => <KeyRow key={row.key} row={row} />) ??
            [1, 2, 3, 4, 5].map((n) => <SkeletonKey key={n} />)}
        </ul>
        {keys?.length === 0 && (
          <p className="p-5 text-muted">
            {search !== '' && hasKeys !== false
              ? `No key with unfinished jobs contains “${search}”.`
              : 'No key has unfinished jobs.'}
          </p>
        )}
        {query.hasNextPage && (
          <p className="border-line border-t px-4 py-3 sm:px-5">
            <Button isSmall disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
              {query.isFetchingNextPage ? 'Loading…' : 'Show more'}
            </Button>
          </p>
        )}
      </div>
      {query.error && (
        <p role="status" className="mt-3 px-4 text-muted sm:px-5">
          Could not refresh: {query.error.message}
        </p>
      )}
    </section>
  )
}
