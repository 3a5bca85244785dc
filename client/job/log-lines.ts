/** Log lines as the rows of a list: one row per line of text, and a heading where another attempt begins. */
import type { LogLine } from '../../shared/job.ts'

export type LogRow =
  | { readonly kind: 'attempt'; readonly key: string; readonly version: number }
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
}

export const NO_LINES: LogState = { rows: [], after: 0, version: null }

/** What a page that stays open for days keeps. */
const MOST_ROWS = 100_000
/** Colours and cursor movements for terminals. */
const ESCAPES = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[A-Za-z]`, 'g')

export function addLines(known: LogState, lines: readonly LogLine[]): LogState {
  if (lines.length === 0) return known
  const rows: LogRow[] = []
  let { version, after } = known
  for (const one of lines) {
    if (one.version !== version) rows.push({ kind: 'attempt', key: `before ${one.id}`, version: one.version })
    version = one.version
    after = one.id
    for (const [place, text] of one.line.replace(ESCAPES, '').split('\n').entries()) {
      rows.push({ kind: 'line', key: `${one.id}.${place}`, stream: one.stream, at: one.at, text })
    }
  }
  return { rows: [...known.rows, ...rows].slice(-MOST_ROWS), after, version }
}

export function textOf(rows: readonly LogRow[]): string {
  return rows.map((row) => (row.kind === 'line' ? row.text : `--- attempt ${row.version} ---`)).join('\n')
}
