/** Number format with thousands separators. */

const grouped = new Intl.NumberFormat('en')

export function formatNumber(n: number): string {
  return grouped.format(n)
}
