/** Observations counted in buckets with fixed upper bounds, as histograms of metrics want them. */

export class Buckets {
  readonly bounds: readonly number[]
  /** One more than there are bounds: the last holds whatever is larger. Not cumulative. */
  readonly counts: number[]
  sum = 0
  count = 0

  constructor(bounds: readonly number[]) {
    this.bounds = bounds
    this.counts = new Array<number>(bounds.length + 1).fill(0)
  }

  /** Bounds are inclusive. Most observations are small, so the search starts there. */
  observe(value: number): void {
    const { bounds, counts } = this
    let place = 0
    while (place < bounds.length && value > (bounds[place] ?? 0)) place++
    counts[place] = (counts[place] ?? 0) + 1
    this.sum += value
    this.count += 1
  }
}
