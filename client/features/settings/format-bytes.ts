/** Formats a size in bytes: 812 B, 4.1 KiB, 93 MiB. */

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const

export function formatBytes(bytes: number): string {
  let [size, unit] = [bytes, 0]
  while (size >= 1_024 && unit < UNITS.length - 1) {
    size /= 1_024
    unit += 1
  }
  return `${unit === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${UNITS[unit]}`
}
