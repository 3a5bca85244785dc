/** Addresses of the Jobs page: with a filter, and the last one visited in this tab. */
import { useEffect } from 'react'
import { useLocation, useSearch } from 'wouter'
import { formatTerm } from './filter/tokenizer.ts'
import { basePath } from './routes.ts'

const PATH = '/jobs'
const storageKey = () => `millrace.jobs-address ${basePath()}`

/** The table with the jobs of a group, or of one of its keys. */
export function groupJobsAddress(name: string, key: string | null, status?: string): string {
  const terms = [
    formatTerm('in', name),
    ...(key === null ? [] : [formatTerm('key', key)]),
    ...(status === undefined ? [] : [formatTerm('status', status)]),
  ]
  return `${PATH}?${new URLSearchParams({ view: 'table', q: terms.join(' ') })}`
}

/** The table with this filter. */
export function tableAddress(key: 'status' | 'type' | 'worker', value: string): string {
  return `${PATH}?${new URLSearchParams({ view: 'table', q: formatTerm(key, value) })}`
}

let last = PATH

/** When storage is blocked, the address is kept until a reload. */
export function lastJobsAddress(): string {
  try {
    const stored = sessionStorage.getItem(storageKey()) ?? last
    return stored === PATH || stored.startsWith(`${PATH}?`) ? stored : PATH
  } catch {
    return last
  }
}

/** Remembers view and filter for the link back from a job page. */
export function useRememberJobsAddress(): void {
  const [path] = useLocation()
  const search = useSearch()
  useEffect(() => {
    if (path !== PATH) return
    last = search === '' ? PATH : `${PATH}?${search}`
    try {
      sessionStorage.setItem(storageKey(), last)
    } catch {
      // Storage is blocked: the variable still works until a reload.
    }
  }, [path, search])
}
