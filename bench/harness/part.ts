/** A benchmark part: measures in its own folder and returns tables and raw results. */
import type { Table } from './table.ts'

export interface Report {
  readonly tables: readonly Table[]
  /** All measurements, for bench/results/. */
  readonly results: Readonly<Record<string, unknown>>
  /** Markdown of its section in docs/BENCHMARKS.md; default: its tables. */
  readonly document?: (machine: string) => string
  /** Text of files in docs/images. */
  readonly images?: Readonly<Record<string, string>>
}

/** `args`: options after the name of the part; only some parts have any. */
export type Part = (
  folder: string,
  logProgress: (progress: string) => void,
  args?: readonly string[],
) => Promise<Report>
