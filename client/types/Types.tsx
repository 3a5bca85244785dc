/** Every type of job: its flow, its limits, and what operators may change about it. */
import { useSearchParams } from 'wouter'
import { FailedToLoad } from '../page/FailedToLoad.tsx'
import { PageHead } from '../ui/PageHead.tsx'
import { EditType } from './EditType.tsx'
import { NoTypes } from './NoTypes.tsx'
import { TypeList } from './TypeList.tsx'
import { useTypes } from './use-types.ts'

/** Fewer are seen at a glance. */
const SEARCH_FROM = 9

export function Types() {
  const all = useTypes()
  const { query, rows } = all
  const [params, setParams] = useSearchParams()
  const put = (name: string, value: string, replace: boolean) =>
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
  const edited = rows?.find(({ type }) => type.name === params.get('edit'))
  if (query.error && !rows) {
    return <FailedToLoad isPage what="the types" error={query.error} onRetry={() => void query.refetch()} />
  }
  return (
    <>
      <PageHead title="Types" hint="One row per type of job: the last hour, and what limits it.">
        {(search !== '' || (rows?.length ?? 0) >= SEARCH_FROM) && (
          <input
            type="search"
            aria-label="Find a type"
            placeholder="Find a type"
            value={search}
            onChange={({ target }) => put('q', target.value, true)}
            className="h-8 w-56 max-w-full rounded-md bg-surface px-2.5 ring-1 ring-line placeholder:text-faint"
          />
        )}
      </PageHead>
      {rows?.length === 0 ? (
        <NoTypes />
      ) : (
        <TypeList {...all} search={search} onEdit={(name) => put('edit', name, false)} />
      )}
      {edited && <EditType key={edited.type.name} type={edited.type} onClose={() => put('edit', '', true)} />}
    </>
  )
}
