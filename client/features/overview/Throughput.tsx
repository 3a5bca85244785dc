/** Chart of completed and failed attempts over a selectable period. */
import { useMemo } from 'react'
import { useSearchParams } from 'wouter'
import { api } from '../../lib/api.ts'
import { formatNumber } from '../../lib/format-number.ts'
import { useFrames, useLive } from '../../live/use-live.ts'
import { usePaced } from '../../live/use-paced.ts'
import { Button } from '../../ui/Button.tsx'
import { BarChart } from '../../ui/chart/BarChart.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { RANGES, seriesOf } from './flow-series.ts'

/** Same interval as the statistics above the chart, so that the numbers agree. */
const READ_EVERY_MS = 2_000

export function Throughput() {
  const [search, setSearch] = useSearchParams()
  const range = RANGES.find(({ name }) => name === search.get('range')) ?? RANGES[1]
  const query = api.history.useQuery({ minutes: range.minutes, together: true }, { refetchInterval: 60_000 })
  const refresh = usePaced(query, READ_EVERY_MS)
  useFrames(refresh)
  const { feed } = useLive()
  const { data, dataUpdatedAt } = query
  const chart = useMemo(() => {
    if (!data) return null
    const { times, completed, failed } = seriesOf(data, range, dataUpdatedAt + feed.clockOffsetMs)
    return {
      times,
      lower: { label: 'completed', values: completed, tone: 'completed' },
      upper: { label: 'failed', values: failed, tone: 'failed' },
    }
  }, [data, range, dataUpdatedAt, feed])
  const sum = (values: readonly number[]) => formatNumber(values.reduce((total, value) => total + value, 0))
  return (
    <figure className="mb-6 rounded-lg bg-surface p-4 ring-1 ring-line sm:p-5">
      <figcaption className="mb-2 flex flex-wrap items-center gap-x-4 gap-y-1">
        <h2 className="font-semibold">Throughput</h2>
        {chart && (
          // On narrow screens in a separate line, so that growing numbers do not move the chart.
          <p className="order-last basis-full text-muted md:order-none md:basis-auto" data-testid="throughput">
            <Key tone="completed" /> {sum(chart.lower.values)} completed <Key tone="failed" /> {sum(chart.upper.values)}{' '}
            failed
          </p>
        )}
        <span className="ml-auto flex gap-1">
          {RANGES.map(({ name }) => (
            <Button
              key={name}
              isSmall
              weight={name === range.name ? 'plain' : 'quiet'}
              aria-pressed={name === range.name}
              onClick={() => setSearch({ range: name }, { replace: true })}
            >
              {name}
            </Button>
          ))}
        </span>
      </figcaption>
      {chart ? (
        <BarChart {...chart} barLength={range.barLength} label={`Completed and failed, the last ${range.name}`} />
      ) : (
        <Skeleton className="h-37 w-full" />
      )}
    </figure>
  )
}

function Key({ tone }: { tone: 'completed' | 'failed' }) {
  return <span aria-hidden="true" data-tone={tone} className="ml-2 inline-block size-2 rounded-xs bg-tone" />
}
