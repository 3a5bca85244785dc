/** Which jobs to export: kept in the URL, so that an export can be bookmarked. */
import { useSearchParams } from 'wouter'
import { STATUSES } from '../../../shared/status.ts'
import { api } from '../../api.ts'
import { TextField } from '../form/TextField.tsx'
import type { FilterName } from './export-filter.ts'

export function ExportFilter({ isDisabled }: { isDisabled: boolean }) {
  const [params, setParams] = useSearchParams()
  const types = api.types.list.useQuery()
  const statuses = params.getAll('status')

  function change(make: (next: URLSearchParams) => void) {
    setParams(
      (before) => {
        const next = new URLSearchParams(before)
        make(next)
        return next
      },
      { replace: true },
    )
  }
  const put = (name: FilterName) => (text: string) =>
    change((next) => (text === '' ? next.delete(name) : next.set(name, text)))
  const field = (name: FilterName) => ({ value: params.get(name) ?? '', onText: put(name) })

  return (
    <fieldset disabled={isDisabled} className="grid gap-4">
      <legend className="sr-only">Which jobs</legend>
      <div className="grid gap-x-5 gap-y-3 sm:grid-cols-2 lg:grid-cols-3">
        <TextField label="Type" placeholder="all" list="export-types" {...field('type')} />
        <TextField label="Search" placeholder="in id, key, error and payload" {...field('search')} />
        <TextField label="Error contains" placeholder="any" {...field('error')} />
        <TextField label="Created from" type="date" {...field('from')} />
        <TextField label="Created until" type="date" help="that day included" {...field('to')} />
      </div>
      <datalist id="export-types">
        {types.data?.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <fieldset>
        <legend className="mb-1 font-medium">Status</legend>
        <div className="flex flex-wrap gap-x-4 gap-y-1">
          {STATUSES.map((status) => (
            <label key={status} className="flex cursor-pointer items-center gap-1.5">
              <input
                type="checkbox"
                checked={statuses.includes(status)}
                onChange={({ target }) =>
                  change((next) => (target.checked ? next.append('status', status) : next.delete('status', status)))
                }
              />
              {status}
            </label>
          ))}
          {statuses.length === 0 && <span className="text-muted">none chosen: all of them</span>}
        </div>
      </fieldset>
    </fieldset>
  )
}
