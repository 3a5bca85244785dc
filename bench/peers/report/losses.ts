/** Measures in which a peer of the same kind is faster than Millrace. */
import type { MeasureName } from '../measures.ts'
import { type Comparison, type Measured, ratioOf } from './comparison.ts'

export interface Loss {
  readonly ours: Measured
  readonly measure: MeasureName
  readonly peer: Measured
  /** How many times as fast as Millrace the peer is. */
  readonly factor: number
}

/** Less than this is within the noise of a machine. */
export const LEAST_FACTOR = 1.05

/** In the order of the report; of one measure the fastest peer first. */
export function lossesOf({ systems, measures }: Comparison): readonly Loss[] {
  return systems
    .filter(({ role }) => role === 'millrace')
    .flatMap((ours) =>
      measures.flatMap((measure) =>
        systems
          .filter(({ role, kind }) => role === 'peer' && kind === ours.kind)
          .flatMap((peer) => lossTo(ours, peer, measure))
          .sort((a, b) => b.factor - a.factor),
      ),
    )
}

function lossTo(ours: Measured, peer: Measured, measure: MeasureName): readonly Loss[] {
  // Pickup is a time, the others are jobs per second.
  const factor = measure === 'pickup' ? ratioOf(ours, peer, measure) : ratioOf(peer, ours, measure)
  return factor !== null && factor >= LEAST_FACTOR ? [{ ours, measure, peer, factor }] : []
}
