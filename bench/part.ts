/** A benchmark part: measures in its own folder and returns tables and raw results. */
import type { Table } from './table.ts'

export interface Report {
  readonly tables: readonly Table[]
  /** All measurements, for bench/results/. */
  readonly results: Readonly<Record<string, unknown>>
}

export type Part = (folder: string, logProgress: (progress: string) => void) => Promise<Report>
