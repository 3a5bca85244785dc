/** Names of the measures in tables. */
import type { MeasureName } from '../measures.ts'

const TITLES: Readonly<Record<MeasureName, string>> = {
  enqueue: 'enqueue c=64',
  bulk: 'bulk 1000',
  'process-1': 'process c=1',
  'process-10': 'process c=10',
  'process-50': 'process c=50',
  e2e: 'e2e',
  pickup: 'pickup p50 / p99 ms',
}

export function titleOf(measure: MeasureName): string {
  return TITLES[measure]
}

/** Where pickup is a ratio of medians. */
export function shortTitleOf(measure: MeasureName): string {
  return measure === 'pickup' ? 'pickup p50' : TITLES[measure]
}
