/** Aggregates minutes of queue history into chart bars. */

export interface Minute {
  readonly minute: number
  readonly completed: number
  readonly failed: number
}

export interface Series {
  /** Start of each bar in seconds since 1970. */
  readonly times: number[]
  readonly completed: number[]
  readonly failed: number[]
}

export const RANGES = [
  { name: '15 min', minutes: 15, perBar: 1, barLength: 'min' },
  { name: '1 h', minutes: 60, perBar: 2, barLength: '2 min' },
  { name: '24 h', minutes: 1_440, perBar: 30, barLength: '30 min' },
] as const
export type Range = (typeof RANGES)[number]

/** Minutes without activity count as 0. The last bar ends at `now`. */
export function seriesOf(minutes: readonly Minute[], { minutes: span, perBar }: Range, now: number): Series {
  const last = Math.floor(now / 60_000)
  const bars = span / perBar
  const series: Series = {
    times: Array.from({ length: bars }, (_, bar) => (last - (bars - bar) * perBar + 1) * 60),
    completed: Array.from({ length: bars }, () => 0),
    failed: Array.from({ length: bars }, () => 0),
  }
  for (const { minute, completed, failed } of minutes) {
    const bar = bars - 1 - Math.floor((last - minute) / perBar)
    if (bar < 0 || bar >= bars) continue
    series.completed[bar] = (series.completed[bar] ?? 0) + completed
    series.failed[bar] = (series.failed[bar] ?? 0) + failed
  }
  return series
}
