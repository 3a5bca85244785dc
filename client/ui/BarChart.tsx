/** Two rows of bars over time, one on the other, with the numbers of the bar under the pointer. */
import { useState } from 'react'
import { formatNumber } from '../format/number.ts'

export interface BarSeries {
  readonly label: string
  readonly values: readonly number[]
  readonly tone: string
}

export interface BarChartProps {
  /** Seconds since 1970, the beginning of each bar. */
  readonly times: readonly number[]
  readonly lower: BarSeries
  readonly upper: BarSeries
  readonly label: string
}

const HEIGHT = 100
/** So that one job does not fill the picture. */
const LEAST = 4

export function BarChart({ times, lower, upper, label }: BarChartProps) {
  const [looked, setLooked] = useState<number | null>(null)
  const at = (series: BarSeries, bar: number) => series.values[bar] ?? 0
  const most = Math.max(LEAST, ...times.map((_, bar) => at(lower, bar) + at(upper, bar)))
  const tall = (value: number) => (value / most) * HEIGHT
  const bar = looked ?? times.length - 1
  return (
    <div>
      <svg
        role="img"
        aria-label={label}
        viewBox={`0 0 ${times.length} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="h-28 w-full border-line border-b"
        onPointerLeave={() => setLooked(null)}
      >
        {times.map((time, place) => {
          const done = tall(at(lower, place))
          const failed = tall(at(upper, place))
          return (
            <g key={time} onPointerEnter={() => setLooked(place)}>
              <rect
                x={place}
                width="1"
                height={HEIGHT}
                className={place === looked ? 'fill-raised' : 'fill-transparent'}
              />
              <g data-tone={lower.tone} className="fill-tone">
                <rect x={place + 0.1} width="0.8" y={HEIGHT - done} height={done} />
              </g>
              <g data-tone={upper.tone} className="fill-tone">
                <rect x={place + 0.1} width="0.8" y={HEIGHT - done - failed} height={failed} />
              </g>
            </g>
          )
        })}
      </svg>
      <p aria-hidden="true" className="mt-1 flex justify-between text-muted text-xs">
        <span>{clockTime(times[0])}</span>
        <span>
          {clockTime(times[bar])}: {formatNumber(at(lower, bar))} {lower.label}, {formatNumber(at(upper, bar))}{' '}
          {upper.label}
        </span>
        <span>now</span>
      </p>
    </div>
  )
}

function clockTime(seconds = 0): string {
  return new Date(seconds * 1_000).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' })
}
