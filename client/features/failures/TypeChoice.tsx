/** Select for one type or all. */
import { api } from '../../lib/api.ts'

export function TypeChoice({ type, onChoose }: { type: string | null; onChoose: (type: string | null) => void }) {
  const types = api.types.list.useQuery()
  const names = (types.data ?? []).map(({ name }) => name).sort()
  const all = type === null || names.includes(type) ? names : [type, ...names]
  return (
    <label className="flex min-w-0 items-center gap-2 text-muted">
      Type
      <select
        value={type ?? ''}
        onChange={({ target }) => onChoose(target.value === '' ? null : target.value)}
        className="h-8 min-w-0 max-w-64 rounded-md bg-surface px-2 text-ink ring-1 ring-line"
      >
        <option value="">All types</option>
        {all.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}
