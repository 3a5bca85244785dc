/** Tables that fit the width of the terminal. */
import { oneLine, truncate, widthOf } from './format.ts'
import type { Brush, Paint } from './paint.ts'

export interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => string
  readonly brush?: (row: Row) => Brush
  readonly isNumber?: boolean
  /** Dropped on narrow terminals, last column first. */
  readonly isOptional?: boolean
}

export interface TableOptions {
  readonly paint: Paint
  /** Columns of the terminal; Infinity for a file or a pipe. */
  readonly width: number
}

const GAP = 2
/** The last column shrinks to this width before optional columns are dropped. */
const MIN_LAST = 16

export function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[], options: TableOptions): string[] {
  const cells = new Map(columns.map((column) => [column, rows.map((row) => oneLine(column.cell(row)))]))
  const widths = new Map(columns.map((column) => [column, widest([column.title, ...(cells.get(column) ?? [])])]))
  const shown = fitting(columns, widths, options.width)
  const last = shown.at(-1)
  const before = shown.slice(0, -1).reduce((sum, column) => sum + (widths.get(column) ?? 0) + GAP, 0)

  const line = (text: (column: Column<Row>) => string, brush: (column: Column<Row>) => Brush) =>
    shown
      .map((column) => {
        if (column === last) {
          const available = options.width - before
          return brush(column)(
            truncate(column.isNumber ? padded(text(column), widths, column) : text(column), available),
          )
        }
        const full = padded(text(column), widths, column)
        // Padding stays outside of the colour sequence.
        return full.replace(text(column), () => brush(column)(text(column)))
      })
      .join(' '.repeat(GAP))
      .trimEnd()

  return [
    line(
      (column) => column.title,
      () => options.paint.dim,
    ),
    ...rows.map((row, index) =>
      line(
        (column) => cells.get(column)?.[index] ?? '',
        (column) => column.brush?.(row) ?? plain,
      ),
    ),
  ]
}

const plain: Brush = (text) => text

function fitting<Row>(
  columns: readonly Column<Row>[],
  widths: ReadonlyMap<Column<Row>, number>,
  width: number,
): readonly Column<Row>[] {
  const needed = columns.reduce((sum, column, index) => {
    const own = widths.get(column) ?? 0
    return sum + (index === columns.length - 1 ? Math.min(own, MIN_LAST) : own + GAP)
  }, 0)
  const spare = columns.findLast((column) => column.isOptional)
  if (needed <= width || !spare) return columns
  return fitting(
    columns.filter((column) => column !== spare),
    widths,
    width,
  )
}

function padded<Row>(text: string, widths: ReadonlyMap<Column<Row>, number>, column: Column<Row>): string {
  const blanks = ' '.repeat(Math.max(0, (widths.get(column) ?? 0) - widthOf(text)))
  return column.isNumber ? blanks + text : text + blanks
}

function widest(texts: readonly string[]): number {
  return texts.reduce((width, text) => Math.max(width, widthOf(text)), 0)
}

/** Lines of `name   value`, with dim names. */
export function pairs(entries: readonly (readonly [name: string, value: string])[], { paint }: TableOptions): string[] {
  const width = widest(entries.map(([name]) => name))
  return entries.map(([name, value]) => `${paint.dim(name.padEnd(width + GAP))}${value}`.trimEnd())
}
