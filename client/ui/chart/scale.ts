/** Upper end of a chart's scale: a round, even number of at least 4. */

const MIN_TOP = 4
const ROUND = [1, 1.2, 1.6, 2, 3, 4, 6, 8, 10]

export function scaleTop(max: number): number {
  if (max <= MIN_TOP) return MIN_TOP
  const power = 10 ** Math.floor(Math.log10(max))
  return (ROUND.find((round) => round * power >= max) ?? 10) * power
}
