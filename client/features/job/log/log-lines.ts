/** Rows of the log view: one per line of text, with a heading per attempt. */
import type { LogLine } from '../../../../shared/job.ts'
import { limits } from '../../../../shared/limits.ts'
import { formatNumber } from '../../../lib/format-number.ts'

export type LogRow =
  | { readonly kind: 'attempt'; readonly key: string; readonly version: number }
  /** Number of lines of the attempt that were dropped. */
  | { readonly kind: 'dropped'; readonly key: string; readonly count: number }
  | {
      readonly kind: 'line'
      readonly key: string
      readonly stream: LogLine['stream']
      readonly at: number
      readonly text: string
    }

export interface LogState {
  readonly rows: readonly LogRow[]
  /** Id of the last line read; the next read continues after it. */
  readonly after: number
  readonly version: number | null
  /** Number of the last line read, within its attempt. */
  readonly number: number | null
  /** Lines read, and lines known to be dropped. */
  readonly kept: number
  readonly dropped: number
}

export const NO_LINES: LogState = { rows: [], after: 0, version: null, number: 0, kept: 0, dropped: 0 }

/** Limit for pages that stay open for days. */
const MAX_ROWS = 100_000
/** ANSI escape sequences. */
const ESCAPES = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[A-Za-z]`, 'g')

export function addLines(known: LogState, lines: readonly LogLine[]): LogState {
  if (lines.length === 0) return known
  const rows: LogRow[] = []
  let { version, after, number, dropped } = known
  for (const one of lines) {
    if (one.version !== version) {
      rows.push({ kind: 'attempt', key: `before ${one.id}`, version: one.version })
      number = 0
    }
    const missing = one.number === null || number === null ? 0 : one.number - number - 1
    if (missing > 0) rows.push({ kind: 'dropped', key: `dropped before ${one.id}`, count: missing })
    dropped += missing
    number = one.number
    version = one.version
    after = one.id
    for (const [index, text] of one.line.replace(ESCAPES, '').split('\n').entries()) {
      rows.push({ kind: 'line', key: `${one.id}.${index}`, stream: one.stream, at: one.at, text })
    }
  }
  const kept = known.kept + lines.length
  return { rows: [...known.rows, ...rows].slice(-MAX_ROWS), after, version, number, kept, dropped }
}

export function droppedText(count: number): string {
  const lines = count === 1 ? '1 line' : `${formatNumber(count)} lines`
  return `${lines} dropped: only the last ${formatNumber(limits.logLinesPerAttempt)} lines of an attempt are kept`
}

export function textOf(rows: readonly LogRow[]): string {
  return rows.map(plain).join('\n')
}

function plain(row: LogRow): string {
  if (row.kind === 'line') return row.text
  return row.kind === 'attempt' ? `--- attempt ${row.version} ---` : `--- ${droppedText(row.count)} ---`
}
