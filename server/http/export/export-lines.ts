/** Jobs as lines of a file: CSV for spreadsheets, NDJSON for programs. Instants are ISO 8601 in CSV, milliseconds UTC in NDJSON. */
import type { JobSummary } from '../../../shared/job.ts'

/** With payload and result where they were asked for. */
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

/** Before the first job. */
export function headOf(format: Format): string {
  return format === 'csv' ? `${COLUMNS.map(([name]) => name).join(',')}\r\n` : ''
}

export function lineOf(format: Format, job: ExportedJob): string {
  if (format === 'ndjson') return `${JSON.stringify(job)}\n`
  return `${COLUMNS.map(([, of]) => cell(of(job))).join(',')}\r\n`
}

/** Spreadsheets run text that begins like a formula: a quote before it keeps it text. */
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
