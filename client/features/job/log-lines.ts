/** Log lines as the rows of a list: one row per line of text, and a heading where another attempt begins. */
import type { LogLine } from '../../../shared/job.ts'
import { limits } from '../../../shared/limits.ts'
import { formatNumber } from '../../lib/format-number.ts'

export type LogRow =
  | { readonly kind: 'attempt'; readonly key: string; readonly version: number }
  /** So many lines of the attempt were not kept. */
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
  /** The id of the last line read; the next read goes on after it. */
  readonly after: number
  readonly version: number | null
  /** Of the last line read, within its attempt. */
  readonly number: number | null
  /** How many lines were read, and how many are known to be missing. */
  readonly kept: number
  readonly dropped: number
}

export const NO_LINES: LogState = { rows: [], after: 0, version: null, number: 0, kept: 0, dropped: 0 }

/** What a page that stays open for days keeps. */
const MOST_ROWS = 100_000
/** Colours and cursor movements for terminals. */
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
    for (const [place, text] of one.line.replace(ESCAPES, '').split('\n').entries()) {
      rows.push({ kind: 'line', key: `${one.id}.${place}`, stream: one.stream, at: one.at, text })
    }
  }
  const kept = known.kept + lines.length
  return { rows: [...known.rows, ...rows].slice(-MOST_ROWS), after, version, number, kept, dropped }
}

/** Where a log has a gap, and why. */
export function droppedText(count: number): string {
  const what = count === 1 ? '1 line was' : `${formatNumber(count)} lines were`
  return `${what} not kept: a log keeps the last ${formatNumber(limits.logLinesPerAttempt)} lines of each attempt`
}

export function textOf(rows: readonly LogRow[]): string {
  return rows.map(plain).join('\n')
}

function plain(row: LogRow): string {
  if (row.kind === 'line') return row.text
  return row.kind === 'attempt' ? `--- attempt ${row.version} ---` : `--- ${droppedText(row.count)} ---`
}
