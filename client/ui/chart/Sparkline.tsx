/** Sparkline with a text label; unknown values are gaps. */

export interface SparklineProps {
  readonly values: readonly (number | null)[]
  readonly label: string
  readonly tone?: string
}

export function Sparkline({ values, label, tone = 'processing' }: SparklineProps) {
  return (
    <svg
      role="img"
      aria-label={label}
      data-tone={tone}
      viewBox="0 0 100 24"
      preserveAspectRatio="none"
      className="h-6 w-24 text-tone"
    >
      <title>{label}</title>
      {linesOf(values).map((points) => (
        <polyline
          key={points}
          points={points}
          fill="none"
          stroke="currentColor"
          strokeWidth="1.5"
          strokeLinecap="round"
          strokeLinejoin="round"
          vectorEffect="non-scaling-stroke"
        />
      ))}
    </svg>
  )
}

/** One polyline per run of known values. A single value becomes a line of length 0, which its round caps draw as a dot. */
export function linesOf(values: readonly (number | null)[]): readonly string[] {
  const most = Math.max(1, ...values.map((value) => value ?? 0))
  const step = values.length > 1 ? 100 / (values.length - 1) : 100
  const lines: string[][] = []
  let before: number | null = null
  values.forEach((value, place) => {
    if (value !== null) {
      const point = `${(place * step).toFixed(2)},${(23 - (value / most) * 22).toFixed(2)}`
      if (before === null) lines.push([])
      lines.at(-1)?.push(point)
    }
    before = value
  })
  return lines.map((points) => (points.length === 1 ? `${points[0]} ${points[0]}` : points.join(' ')))
}
