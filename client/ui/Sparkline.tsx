/** A row of numbers as a small picture; what it shows is also said in words. */

export function Sparkline({ values, label, tone = 'processing' }: SparklineProps) {
  const most = Math.max(1, ...values)
  const step = values.length > 1 ? 100 / (values.length - 1) : 100
  const points = values.map((value, place) => `${(place * step).toFixed(2)},${(23 - (value / most) * 22).toFixed(2)}`)
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
      <polyline
        points={points.join(' ')}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinejoin="round"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  )
}

export interface SparklineProps {
  readonly values: readonly number[]
  readonly label: string
  readonly tone?: string
}
