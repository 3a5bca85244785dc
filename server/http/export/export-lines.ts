/** Formats exported jobs: CSV with ISO 8601 timestamps, NDJSON with milliseconds since 1970 UTC. */
import type { JobSummary } from '../../../shared/job.ts'

/** With payload and result if the filter requests them. */
export type ExportedJob = JobSummary & { readonly payload?: unknown; readonly result?: unknown }

export const FORMATS = ['csv', 'ndjson'] as const
export type Format = (typeof FORMATS)[number]

const COLUMNS: readonly (readonly [name: string, of: (job: ExportedJob) => string | number | null])[] = [
  ['id', ({ id }) => id],
  ['type', ({ type }) => type],
  ['status', ({ status }) => status],
  ['priority', ({ priority }) => priority],
  ['attempts', ({ attempts }) => attempts],
  ['maxAttempts', ({ maxAttempts }) => maxAttempts],
  ['worker', ({ lockedBy }) => lockedBy],
  ['createdAt', ({ createdAt }) => iso(createdAt)],
  ['runAt', ({ runAt }) => iso(runAt)],
  ['startedAt', ({ startedAt }) => iso(startedAt)],
  ['finishedAt', ({ finishedAt }) => iso(finishedAt)],
  ['error', ({ error }) => error],
  ['payload', ({ payload }) => json(payload)],
  ['result', ({ result }) => json(result)],
]

/** Text before the first job. */
export function formatHeader(format: Format): string {
  return format === 'csv' ? `${COLUMNS.map(([name]) => name).join(',')}\r\n` : ''
}

export function formatJob(format: Format, job: ExportedJob): string {
  if (format === 'ndjson') return `${JSON.stringify(job)}\n`
  return `${COLUMNS.map(([, of]) => cell(of(job))).join(',')}\r\n`
}

/** Prevents CSV injection: spreadsheets evaluate text that starts like a formula unless a quote precedes it. */
function cell(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

function iso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}

function json(value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value)
}
