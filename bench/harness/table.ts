/** Terminal tables: first column left-aligned, numbers right-aligned. */

export interface Table {
  readonly title: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** Notes below the table. */
  readonly notes?: readonly string[]
}

export function formatTable({ title, head, rows, notes = [] }: Table): string {
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    widths
      .map((width, column) => (column === 0 ? (cells[0] ?? '').padEnd(width) : (cells[column] ?? '').padStart(width)))
      .join('  ')
      .trimEnd()
  const rule = widths.map((width) => '-'.repeat(width)).join('  ')
  return [title, line(head), rule, ...rows.map(line), ...notes.map((note) => `  ${note}`)].join('\n')
}

/** About three significant digits: 12,345 or 12.3 or 0.123. */
export function figure(value: number): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

export function times(ratio: number): string {
  return `${ratio.toFixed(2)} ×`
}
