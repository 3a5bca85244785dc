/** Spelling suggestions: the known word closest to a misspelt one. */

export function nearest(word: string, known: readonly string[], maxDistance: number): string | undefined {
  const close = known.filter((one) => distance(word, one) <= maxDistance)
  return close.sort((a, b) => distance(word, a) - distance(word, b))[0]
}

/** Levenshtein distance. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1]
    for (const [column, other] of [...to].entries()) {
      const [change = 0, drop = 0, add = 0] = [row[column], row[column + 1], next[column]]
      next.push(Math.min(drop + 1, add + 1, change + (letter === other ? 0 : 1)))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
