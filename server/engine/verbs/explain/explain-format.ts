/** Formatting of numbers and durations in explanations. */

export function formatDuration(ms: number): string {
  const seconds = Math.max(0, ms) / 1_000
  if (seconds < 1) return `${Math.round(seconds * 1_000)} ms`
  if (seconds < 120) return `${Math.round(seconds)} s`
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`
  return `${Math.round(seconds / 86_400)} days`
}

export function grouped(n: number): string {
  return n.toLocaleString('en-US', { maximumFractionDigits: 2 })
}

export function plural(n: number, one: string, many: string): string {
  return `${grouped(n)} ${n === 1 ? one : many}`
}
