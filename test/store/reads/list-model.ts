/** Model of lists in plain JavaScript, and jobs for it. */

import type { Sort } from '../../../server/store/list/list-key.ts'
import type { JobFilter } from '../../../shared/contracts/observe.ts'
import type { ListPage } from '../../../shared/records.ts'
import { STATUSES } from '../../../shared/status.ts'
import { START } from '../../support/test-clock.ts'
import { idOf, type TestRows } from './rows.ts'

/** 130 jobs in which type, status, priority, times and texts vary independently. */
export function mixed(rows: TestRows): void {
  rows.batch(() => {
    for (let n = 1; n <= 130; n++) {
      const status = STATUSES[(n * 5) % 7] ?? 'pending'
      const columns = {
        ...{ seq: n * 3, priority: (n % 4) - 1, run_at: START + ((n * 37) % 50), created_at: START + ((n * 53) % 130) },
        ...(status === 'processing' && { locked_by: `worker-${n % 3}` }),
        ...(n % 3 === 0 && { error: `Error ${n % 9} at line ${n}` }),
        ...(n % 6 === 0 && { dedupe_key: `Key-${n}` }),
      }
      const payload = { user: { id: n % 11, name: `User ${n % 13}` }, tags: [n % 2 === 0 ? 'even' : 'odd'] }
      const type = n % 5 < 3 ? 'report' : n % 5 === 3 ? 'email' : 'image'
      rows.job({ type, status, payload, columns })
      for (const [version, errorKey] of keysOf(n).entries()) {
        const times = { started_at: START, finished_at: START + version }
        const outcome = errorKey === null ? 'released' : 'failed'
        const attempt = { seq: n * 3, version, type, outcome, status_after: 'pending', error_key: errorKey }
        rows.insert('millrace_job_attempts', { ...attempt, ...times })
      }
    }
  })
}

/** The error keys of a job's attempts, in order; a released attempt has none. */
function keysOf(n: number): readonly (string | null)[] {
  return [[], ['old <n>', 'boom <n>'], ['boom <n>', null], ['boom <n>', 'old <n>']][n % 4] ?? []
}

export type Row = ListPage['jobs'][number] & { readonly payload?: unknown }

/** Each filter as a JavaScript predicate. */
export function accepts(job: Row, input: JobFilter): boolean {
  const text = [job.id, job.type, job.dedupeKey, job.error, JSON.stringify(job.payload)].join('\n').toLowerCase()
  const isOver = job.status !== 'processing' && job.status !== 'completed'
  const path = input.payload?.path.split('.') ?? []
  const at = path.reduce<unknown>((value, key) => Object(value)[key], job.payload)
  return (
    (input.ids?.includes(job.id) ?? true) &&
    (input.idEnd === undefined || job.id.endsWith(input.idEnd)) &&
    (input.errorKey === undefined || (isOver && keysOf(job.seq / 3).at(-1) === input.errorKey)) &&
    (input.status?.includes(job.status) ?? true) &&
    (input.pending === undefined || job.status !== 'pending' || job.attempts > 0 === (input.pending === 'retried')) &&
    (input.type === undefined || job.type === input.type) &&
    (input.worker === undefined || job.lockedBy === input.worker) &&
    (input.priority === undefined || job.priority === input.priority) &&
    (input.payload === undefined || at === input.payload.equals) &&
    (input.search === undefined || text.includes(input.search.toLowerCase())) &&
    (input.error === undefined || (job.error ?? '').toLowerCase().includes(input.error.toLowerCase())) &&
    (input.from === undefined || job.createdAt >= input.from) &&
    (input.to === undefined || job.createdAt < input.to)
  )
}

export const ORDERS: Record<Sort, (a: Row, b: Row) => number> = {
  newest: (a, b) => b.seq - a.seq,
  oldest: (a, b) => a.seq - b.seq,
  claim: (a, b) => b.priority - a.priority || a.runAt - b.runAt || a.seq - b.seq,
}

const every = (step: number) => Array.from({ length: Math.ceil(390 / step) }, (_, n) => idOf(n * step))

export const FILTERS: JobFilter[] = [
  { errorKey: 'boom <n>' },
  { errorKey: 'boom <n>', type: 'report', status: ['failed', 'completed', 'pending'] },
  { errorKey: 'old <n>', status: ['processing', 'completed'] },
  { errorKey: '' },
  { ids: every(1) },
  { ids: [...every(9), ...every(6)].reverse() },
  { ids: every(6), type: 'report', status: ['pending', 'failed'] },
  { ids: every(3), status: ['pending'] },
  { ids: every(3), priority: 1, from: START + 40 },
  { ids: every(6), search: 'user 1' },
  { ids: every(3), errorKey: 'boom <n>' },
  { ids: [idOf(1)] },
  { idEnd: idOf(9).slice(-8) },
  { idEnd: idOf(12).slice(-4), type: 'report' },
  { ids: every(6), worker: 'worker-1', status: ['pending'] },
  { pending: 'retried', status: ['pending'] },
  { pending: 'retried', status: ['pending', 'failed', 'retrying', 'cancelled'] },
  { pending: 'fresh', type: 'report' },
  {},
  { type: 'report' },
  { type: 'none' },
  ...STATUSES.map((status) => ({ status: [status] })),
  ...STATUSES.map((status) => ({ status: [status], type: 'report' })),
  { status: ['scheduled', 'pending', 'retrying'] },
  { status: ['completed', 'failed', 'cancelled', 'processing'], type: 'email' },
  { status: [...STATUSES] },
  { status: [] },
  { worker: 'worker-1' },
  { worker: 'worker-1', status: ['pending'] },
  { worker: 'worker-2', status: ['pending', 'processing'], type: 'report' },
  { priority: 2 },
  { priority: -1, status: ['pending', 'failed'] },
  { error: 'ERROR 3' },
  { error: 'line 9', type: 'report', status: ['failed', 'completed'] },
  { from: START + 40 },
  { to: START + 40, type: 'image' },
  { from: START + 20, to: START + 90, status: ['pending'] },
  { search: 'user 12' },
  { search: 'KEY-6' },
  { search: 'emai' },
  { search: idOf(33).slice(-6), status: ['completed', 'pending'] },
  { search: 'user 1', status: ['pending'], priority: 0 },
  { payload: { path: 'user.id', equals: 7 } },
  { payload: { path: 'tags.0', equals: 'odd' }, status: ['failed'] },
  { payload: { path: 'user.name', equals: 'User 5' }, search: 'report', type: 'report' },
]
