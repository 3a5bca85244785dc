/** Addresses of the list of jobs: behind a filter, and as this tab last had it. */
import { useEffect } from 'react'
import { useLocation, useSearch } from 'wouter'
import { wordFor } from '../features/jobs/filter/tokenizer.ts'
import { basePath } from './routes.ts'

const PATH = '/jobs'
const nameOf = () => `millrace.jobs-address ${basePath()}`

/** The table with exactly these. */
export function tableOf(key: 'status' | 'type' | 'worker', value: string): string {
  return `${PATH}?${new URLSearchParams({ view: 'table', q: wordFor(key, value) })}`
}

let last = PATH

/** A browser that stores nothing still knows it until the page is loaded again. */
export function lastJobsAddress(): string {
  try {
    const stored = sessionStorage.getItem(nameOf()) ?? last
    return stored === PATH || stored.startsWith(`${PATH}?`) ? stored : PATH
  } catch {
    return last
  }
}

/** Remembers view and filter, so that the way back from a job leads to where one was. */
export function useRememberJobsAddress(): void {
  const [path] = useLocation()
  const search = useSearch()
  useEffect(() => {
    if (path !== PATH) return
    last = search === '' ? PATH : `${PATH}?${search}`
    try {
      sessionStorage.setItem(nameOf(), last)
    } catch {
      // It is only a convenience.
    }
  }, [path, search])
}
