/** Rows written by a test, for reads without a writer: the same interface for every dialect. */
import type { Reads } from '../../../server/store/store.ts'
import type { Defaults } from '../../../shared/settings/settings.ts'
import { isTerminal, type Status } from '../../../shared/status.ts'
import { START } from '../../support/test-clock.ts'

export type Values = Readonly<Record<string, string | number | null>>

export interface RowOptions {
  readonly status?: Status
  readonly type?: string
  readonly payload?: unknown
  readonly result?: unknown
  /** Further columns of jobs. */
  readonly columns?: Values
}

/** SQLite returns values, PostgreSQL promises: tests await both. */
export type TestReads = {
  readonly [Name in keyof Reads]: (
    ...args: Parameters<Reads[Name]>
  ) => Awaited<ReturnType<Reads[Name]>> | ReturnType<Reads[Name]>
}

export interface TestRows {
  insert(table: string, values: Values): void
  /** A job with its body and its count, within the constraints of the table. Returns its id. */
  job(options?: RowOptions): string
  /** Many rows in one transaction. */
  batch(write: () => void): void
  /** Of all rows written so far. */
  reads(options?: { readonly defaults?: Defaults; readonly searchBudgetMs?: number }): TestReads | Promise<TestReads>
}

/** Empty, and removed when the test ends. */
export type MakeRows = () => TestRows

export interface JobRows {
  readonly id: string
  readonly type: string
  readonly status: Status
  readonly rows: readonly (readonly [table: string, values: Values])[]
}

/** The rows of one job, without its count. */
export function jobRows(seq: number, options: RowOptions): JobRows {
  const { status = 'pending', type = 'report' } = options
  const id = String(options.columns?.id ?? idOf(seq))
  const lease = status === 'processing' ? { lease_until: START + 7_000, lease_ms: 9_000, locked_by: 'worker-1' } : {}
  const finish = isTerminal(status) ? { finished_at: START + 3_000 + seq } : {}
  const times = { run_at: START + seq, created_at: START + 1_000 + seq, updated_at: START + 2_000 + seq }
  const { result } = options
  return {
    ...{ id, type, status },
    rows: [
      ['millrace_jobs', { seq, id, type, status, ...times, ...lease, ...finish, ...options.columns }],
      ['millrace_job_bodies', { seq, payload: JSON.stringify(options.payload ?? { n: seq }) }],
      ...(result === undefined ? [] : [['millrace_job_results', { seq, result: JSON.stringify(result) }] as const]),
    ],
  }
}

export function idOf(seq: number): string {
  return `018f6f0e-0000-7000-8000-${seq.toString(16).padStart(12, '0')}`
}
