/** Types page: throughput, limits and settings of every job type. */
import { useSearchParams } from 'wouter'
import { FailedToLoad } from '../../ui/FailedToLoad.tsx'
import { PageHead } from '../../ui/PageHead.tsx'
import { EditType } from './EditType.tsx'
import { NoTypes } from './NoTypes.tsx'
import { ORDER_NAMES, ORDERS, orderOf } from './sort-order.ts'
import { TypeList } from './TypeList.tsx'
import { useTypes } from './use-types.ts'

/** Search and sorting appear from this number of types on. */
const SEARCH_FROM = 9

export function Types() {
  const all = useTypes()
  const { query, rows } = all
  const [params, setParams] = useSearchParams()
  const setParam = (name: string, value: string, replace: boolean) =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before)
        if (value === '') next.delete(name)
        else next.set(name, value)
        return next
      },
      { replace },
    )
  const search = params.get('q') ?? ''
  const order = orderOf(params.get('sort'))
  const edited = rows?.find(({ type }) => type.name === params.get('edit'))
  if (query.error && !rows) {
    return <FailedToLoad isPage what="the types" error={query.error} onRetry={() => void query.refetch()} />
  }
  return (
    <>
      <PageHead title="Types" hint="Throughput and limits by job type.">
        {(search !== '' || (rows?.length ?? 0) >= SEARCH_FROM) && (
          <div className="flex min-w-0 flex-wrap items-center gap-2">
            <select
              aria-label="Sort by"
              value={order}
              onChange={({ target }) => setParam('sort', target.value === 'name' ? '' : target.value, true)}
              className="h-8 min-w-0 rounded-md bg-surface px-2 ring-1 ring-line"
            >
              {ORDERS.map((one) => (
                <option key={one} value={one}>
                  {ORDER_NAMES[one]}
                </option>
              ))}
            </select>
            <input
              type="search"
              aria-label="Find a type"
              placeholder="Find a type"
              value={search}
              onChange={({ target }) => setParam('q', target.value, true)}
              className="h-8 w-56 max-w-full rounded-md bg-surface px-2.5 ring-1 ring-line placeholder:text-faint"
            />
          </div>
        )}
      </PageHead>
      {rows?.length === 0 ? (
        <NoTypes />
      ) : (
        <TypeList {...all} search={search} order={order} onEdit={(name) => setParam('edit', name, false)} />
      )}
      {edited && <EditType key={edited.type.name} type={edited.type} onClose={() => setParam('edit', '', true)} />}
    </>
  )
}
