/** Stacked bar chart of two series over time, with the numbers of the hovered bar. */
import { useState } from 'react'
import { formatNumber } from '../../lib/format-number.ts'
import { scaleTop } from './scale.ts'

export interface BarSeries {
  readonly label: string
  readonly values: readonly number[]
  readonly tone: string
}

export interface BarChartProps {
  /** Start of each bar in seconds since 1970. The last bar is still growing. */
  readonly times: readonly number[]
  readonly lower: BarSeries
  readonly upper: BarSeries
  readonly label: string
  /** Length of a bar: "2 min". */
  readonly barLength: string
}

const HEIGHT = 100

export function BarChart({ times, lower, upper, label, barLength }: BarChartProps) {
  const [hovered, setHovered] = useState<number | null>(null)
  const at = (series: BarSeries, bar: number) => series.values[bar] ?? 0
  const top = scaleTop(Math.max(...times.map((_, bar) => at(lower, bar) + at(upper, bar))))
  const tall = (value: number) => (value / top) * HEIGHT
  const last = times.length - 1
  const bar = hovered ?? last
  return (
    <div>
      <div className="relative pt-4">
        <GridLine value={top} barLength={barLength} className="top-4" />
        <GridLine value={top / 2} className="top-18" />
        <svg
          role="img"
          aria-label={label}
          viewBox={`0 0 ${times.length} ${HEIGHT}`}
          preserveAspectRatio="none"
          className="relative h-28 w-full border-line border-b"
          onPointerLeave={() => setHovered(null)}
        >
          {times.map((time, place) => {
            const done = tall(at(lower, place))
            const failed = tall(at(upper, place))
            return (
              <g key={time} onPointerEnter={() => setHovered(place)} opacity={place === last ? 0.55 : undefined}>
                <rect
                  x={place}
                  width="1"
                  height={HEIGHT}
                  className={place === hovered ? 'fill-raised' : 'fill-transparent'}
                />
                <g data-tone={lower.tone} className="fill-tone/80">
                  <rect x={place + 0.12} width="0.76" y={HEIGHT - done} height={done} />
                </g>
                <g data-tone={upper.tone} className="fill-tone">
                  <rect x={place + 0.12} width="0.76" y={HEIGHT - done - failed} height={failed} />
                </g>
              </g>
            )
          })}
        </svg>
      </div>
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

/** Horizontal line with its value above it. */
function GridLine({ value, barLength, className }: { value: number; barLength?: string; className: string }) {
  return (
    <div aria-hidden="true" className={`absolute inset-x-0 border-line border-t border-dashed ${className}`}>
      <span className="absolute right-0 bottom-px z-10 rounded-sm bg-surface/85 pl-1 text-faint text-xs">
        {formatNumber(value)}
        {barLength && ` per ${barLength}`}
      </span>
    </div>
  )
}

function clockTime(seconds = 0): string {
  return new Date(seconds * 1_000).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' })
}
