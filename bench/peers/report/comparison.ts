/** The result of a comparison, as stored in bench/results and read by the reports. */
import { median, percentile, ratio } from '../../harness/measure.ts'
import type { Figure, MeasureName } from '../measures.ts'
import type { Kind, Role } from '../systems.ts'

export interface Measured {
  readonly name: string
  readonly label: string
  readonly kind: Kind
  readonly role: Role
  readonly isDurable: boolean
  readonly version: string
  readonly server: string
  readonly settings: string
  /** Milliseconds of one enqueue on the idle system. */
  readonly loneEnqueueMs: number
  /** What went wrong; null: nothing. */
  readonly failure: string | null
  /** Per counted round; null: the system failed. */
  readonly figures: Readonly<Partial<Record<MeasureName, readonly (Figure | null)[]>>>
}

export interface Skipped {
  readonly name: string
  readonly label: string
  readonly reason: string
}

export interface Comparison {
  readonly rounds: number
  readonly turnMs: number
  readonly measures: readonly MeasureName[]
  readonly args: readonly string[]
  readonly systems: readonly Measured[]
  readonly skipped: readonly Skipped[]
}

/** Values of the rounds, or null if a round is missing. */
export function valuesOf(measured: Measured | undefined, measure: MeasureName): readonly number[] | null {
  const rounds = measured?.figures[measure]
  if (!rounds || rounds.length === 0) return null
  const values = rounds.flatMap((figure) => (figure ? [figure.value] : []))
  return values.length === rounds.length ? values : null
}

export function medianOf(measured: Measured | undefined, measure: MeasureName): number | null {
  const values = valuesOf(measured, measure)
  return values ? median(values) : null
}

/** Lowest and highest round relative to the median, as one number: 0.1 means ±10 % or less. */
export function spreadOf(measured: Measured, measure: MeasureName): number | null {
  const values = valuesOf(measured, measure)
  if (!values) return null
  const middle = median(values)
  return Math.max(Math.max(...values) - middle, middle - Math.min(...values)) / middle
}

/** All jobs of all rounds, in milliseconds. */
export function pickupOf(measured: Measured): { readonly p50: number; readonly p99: number } | null {
  if (!valuesOf(measured, 'pickup')) return null
  const samples = (measured.figures.pickup ?? []).flatMap((figure) => figure?.samples ?? [])
  return { p50: median(samples), p99: percentile(samples, 0.99) }
}

/** CPU time per job of client and server together, in microseconds; null if that of the server is unknown. */
export function cpuOf(measured: Measured, measure: MeasureName): number | null {
  if (!valuesOf(measured, measure)) return null
  const micros = (measured.figures[measure] ?? []).flatMap((figure) =>
    figure && figure.serverMicros !== null ? [figure.clientMicros + figure.serverMicros] : [],
  )
  return micros.length === measured.figures[measure]?.length ? median(micros) : null
}

/** Median of the ratios per round. */
export function ratioOf(of: Measured | undefined, base: Measured | undefined, measure: MeasureName): number | null {
  const values = valuesOf(of, measure)
  const baseValues = valuesOf(base, measure)
  return values && baseValues ? ratio(values, baseValues) : null
}
