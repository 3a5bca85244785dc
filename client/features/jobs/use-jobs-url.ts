/** URL state of the Jobs page: view, filter, open sections and the page of each section. */
import { useLocation, useSearch } from 'wouter'
import { type GroupName, INITIALLY_OPEN, isGroupName } from './groups.ts'

export type View = 'sections' | 'table'

/** null removes the parameter. */
export type UrlChanges = Readonly<Partial<Record<'view' | 'q' | 'open' | GroupName, string | null>>>

export interface JobsUrl {
  readonly view: View
  /** Text of the filter bar. */
  readonly text: string
  readonly open: readonly GroupName[]
  pageOf(group: GroupName): number
  /** The current address with these changes. */
  address(changes: UrlChanges): string
  go(changes: UrlChanges, options?: { readonly replace?: boolean }): void
}

export function useJobsUrl(): JobsUrl {
  const search = useSearch()
  const [, navigate] = useLocation()
  const params = new URLSearchParams(search)
  const text = params.get('q') ?? ''
  const open = params.get('open')
  const address = (changes: UrlChanges) => addressWith(search, changes)
  return {
    view: (params.get('view') ?? (text && 'table')) === 'table' ? 'table' : 'sections',
    text,
    open: open === null ? INITIALLY_OPEN : open.split(',').filter(isGroupName),
    pageOf: (group) => Math.max(1, Math.trunc(Number(params.get(group))) || 1),
    address,
    go: (changes, { replace = false } = {}) => navigate(address(changes), { replace }),
  }
}

/** An address of the Jobs page: the parameters in `search` with these changes. */
export function addressWith(search: string, changes: UrlChanges): string {
  const params = new URLSearchParams(search)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === undefined) params.delete(name)
    else params.set(name, value)
  }
  const text = params.toString()
  return text ? `/jobs?${text}` : '/jobs'
}
