/** A histogram with fixed bucket bounds, for metrics. */

export class Buckets {
  readonly bounds: readonly number[]
  /** One count per bound, and a last one for larger values. Not cumulative. */
  readonly counts: number[]
  sum = 0
  count = 0

  constructor(bounds: readonly number[]) {
    this.bounds = bounds
    this.counts = new Array<number>(bounds.length + 1).fill(0)
  }

  /** Bounds are inclusive. A linear search from the smallest, because most values are small. */
  observe(value: number): void {
    const { bounds, counts } = this
    let place = 0
    while (place < bounds.length && value > (bounds[place] ?? 0)) place++
    counts[place] = (counts[place] ?? 0) + 1
    this.sum += value
    this.count += 1
  }
}
