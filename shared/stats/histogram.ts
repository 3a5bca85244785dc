/** Duration histograms with power-of-two buckets; they can be added across minutes, types and nodes. */

/** Bucket i holds durations below 2^i ms; the last one holds everything from about 70 minutes up. */
export const BUCKETS = 24

export type Histogram = number[]

export function bucketOf(durationMs: number): number {
  if (durationMs < 1) return 0
  return Math.min(BUCKETS - 1, 32 - Math.clz32(Math.min(durationMs, 2 ** 31 - 1)))
}

export function emptyHistogram(): Histogram {
  return new Array<number>(BUCKETS).fill(0)
}

/** JSON without trailing empty buckets. */
export function encodeHistogram(histogram: Histogram): string {
  return JSON.stringify(histogram.slice(0, histogram.findLastIndex((n) => n > 0) + 1))
}

export function decodeHistogram(json: string): Histogram {
  const histogram: Histogram = JSON.parse(json)
  while (histogram.length < BUCKETS) histogram.push(0)
  return histogram
}

export function addHistogram(into: Histogram, from: readonly number[]): void {
  for (let i = 0; i < BUCKETS; i++) into[i] = (into[i] ?? 0) + (from[i] ?? 0)
}

/** The duration below which the share `p` of all entries lies, interpolated inside its bucket; null when empty. */
export function percentile(histogram: readonly number[], p: number): number | null {
  const total = histogram.reduce((sum, n) => sum + n, 0)
  if (total === 0) return null
  let rank = p * total
  for (let i = 0; i < BUCKETS; i++) {
    const n = histogram[i] ?? 0
    if (n > 0 && rank <= n) {
      const low = i === 0 ? 0 : 2 ** (i - 1)
      return Math.round((low + (2 ** i - low) * (rank / n)) * 10) / 10
    }
    rank -= n
  }
  return 2 ** (BUCKETS - 1)
}
