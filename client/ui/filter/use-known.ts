/** Values for completions of the filter field, read only while they can be offered. */
import { api } from '../../lib/api.ts'
import { parseFilter } from '../../lib/filter/filter.ts'
import { type Known, termAt } from '../../lib/filter/suggest.ts'
import { tokenize } from '../../lib/filter/tokenizer.ts'

const STALE_AFTER_MS = 30_000

/** `caret` null: the field is not in use. */
export function useKnown(draft: string, caret: number | null): Known {
  const hasFocus = caret !== null
  const term = hasFocus ? termAt(draft, caret) : undefined
  const fresh = { staleTime: STALE_AFTER_MS }
  const { type } = parseFilter(draft)
  const group = tokenize(draft).find(({ key }) => key === 'in')?.value ?? ''
  const types = api.types.list.useQuery(undefined, { ...fresh, enabled: hasFocus })
  const workers = api.workers.list.useQuery(undefined, { ...fresh, enabled: hasFocus })
  // Expensive queries: only while such a term is being typed.
  const failures = api.failures.groups.useQuery(type === null ? {} : { type }, {
    ...fresh,
    enabled: term?.key === 'group',
  })
  const groups = api.groups.list.useQuery(withSearch(term?.value), {
    ...fresh,
    enabled: term?.key === 'in',
    placeholderData: (before) => before,
  })
  const keys = api.groups.keys.useQuery(
    { name: group, ...withSearch(term?.value) },
    { ...fresh, enabled: term?.key === 'key' && group !== '', placeholderData: (before) => before },
  )
  return {
    types: types.data?.map(({ name }) => name) ?? [],
    workers: workers.data?.map(({ name }) => name) ?? [],
    errorKeys: [...new Set(failures.data?.map(({ errorKey }) => errorKey))],
    groups: groups.data?.groups.map(({ name }) => name) ?? [],
    keys: keys.data?.keys.map(({ key }) => key) ?? [],
  }
}

function withSearch(text = ''): { search?: string } {
  return text === '' ? {} : { search: text }
}
