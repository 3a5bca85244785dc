/** Sizes as people read them: 812 B, 4.1 KiB, 93 MiB. */

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const

export function formatBytes(bytes: number): string {
  let [size, place] = [bytes, 0]
  while (size >= 1_024 && place < UNITS.length - 1) {
    size /= 1_024
    place += 1
  }
  return `${place === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${UNITS[place]}`
}
