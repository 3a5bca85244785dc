/** Numbers as people read them. */

const grouped = new Intl.NumberFormat('en')

export function formatNumber(n: number): string {
  return grouped.format(n)
}
