/** Where the scale of a chart ends: a round number that halves to a whole one, so that one job does not fill the picture. */

const LEAST = 4
const ROUND = [1, 1.2, 1.6, 2, 3, 4, 6, 8, 10]

export function scaleTop(most: number): number {
  if (most <= LEAST) return LEAST
  const power = 10 ** Math.floor(Math.log10(most))
  return (ROUND.find((round) => round * power >= most) ?? 10) * power
}
