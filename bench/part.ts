/** What a part of the benchmark is: something that measures in a folder of its own and reports tables and raw figures. */
import type { Table } from './table.ts'

export interface Report {
  readonly tables: readonly Table[]
  /** Everything that was measured, for bench/results/. */
  readonly results: Readonly<Record<string, unknown>>
}

export type Part = (folder: string, say: (progress: string) => void) => Promise<Report>
