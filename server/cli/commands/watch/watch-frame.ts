/** One picture of the queue for `watch`: what to read for it, and how it is drawn. */
import type { Queue } from '../../../queue/queue.ts'
import { localTime } from '../../input/times.ts'
import { cut, widthOf } from '../../output/format.ts'
import { type AttemptsOf, attemptsOf, type ListedJob } from '../../output/job-record.ts'
import { jobTable } from '../../output/job-table.ts'
import { pairs, type TableOptions } from '../../output/table.ts'
import { conditions, type Overview, readOverview, stateLines } from '../status.ts'

const CHART_MINUTES = 30
const BARS = ' ▁▂▃▄▅▆▇█'

export interface Sight {
  readonly overview: Overview
  readonly attempts: AttemptsOf
  readonly running: readonly ListedJob[]
  readonly recent: readonly ListedJob[]
  /** Finished per minute, oldest first. */
  readonly minutes: readonly number[]
}

export interface Frame {
  /** null before the first successful look. */
  readonly sight: Sight | null
  readonly trouble: string | null
  readonly place: string
  readonly now: number
  readonly rows: number
  readonly options: TableOptions
}

export async function readSight(queue: Queue, rows: number, now: number): Promise<Sight> {
  const limit = Math.min(200, Math.max(1, rows))
  const [overview, attempts, running, recent, history] = await Promise.all([
    readOverview(queue, now),
    attemptsOf(queue),
    queue.list({ status: ['processing'], sort: 'oldest', limit, payloads: true }),
    queue.list({ limit, payloads: true }),
    queue.history({ minutes: CHART_MINUTES, together: true }),
  ])
  const last = Math.floor(now / 60_000)
  const minutes = Array.from({ length: CHART_MINUTES }, (_, index) => {
    const minute = last - CHART_MINUTES + 1 + index
    const row = history.find((one) => one.minute === minute)
    return row === undefined ? 0 : row.completed + row.failed
  })
  return { overview, attempts, running: running.jobs, recent: recent.jobs, minutes }
}

/** As many lines as the terminal has rows, and no line wider than it is. */
export function drawFrame({ sight, trouble, place, now, rows, options }: Frame): string[] {
  const { paint, width } = options
  const clock = `${localTime(now)}  q ends`
  const title = cut(`queuectl watch  ${place}`, width - widthOf(clock) - 2)
  const gap = ' '.repeat(Math.max(2, width - widthOf(title) - widthOf(clock)))
  const lines = [paint.bold(cut(`${title}${gap}${clock}`, width)), '']
  if (trouble !== null) lines.push(paint.red(cut(trouble, width)), '')
  if (sight === null) return lines.slice(0, rows)

  lines.push(
    ...stateLines(sight.overview, paint),
    '',
    ...pairs([...conditions(sight.overview), [`last ${CHART_MINUTES} min`, chart(sight.minutes)]], options),
    '',
  )
  const room = Math.max(0, rows - lines.length)
  const half = Math.max(2, Math.floor((room - 3) / 2))
  const running = sight.running.slice(0, Math.max(1, half - 1))
  if (running.length > 0) {
    lines.push(paint.bold('running'), ...jobTable(running, sight.attempts, now, options), '')
  }
  const left = rows - lines.length - 2
  const recent = sight.recent.slice(0, Math.max(0, left))
  if (recent.length > 0) lines.push(paint.bold('newest'), ...jobTable(recent, sight.attempts, now, options))
  return lines.slice(0, rows)
}

function chart(minutes: readonly number[]): string {
  const most = Math.max(1, ...minutes)
  const bars = minutes.map((n) => BARS[n === 0 ? 0 : Math.max(1, Math.round((n / most) * (BARS.length - 1)))])
  return `${bars.join('')}  runs per minute, at most ${most}`
}
