/** One frame of `watch`: reads a snapshot of the queue and draws it. */
import type { Queue } from '../../../../shared/queue.ts'
import { truncate, widthOf } from '../../output/format.ts'
import { type AttemptsOf, attemptsOf, type ListedJob } from '../../output/job-record.ts'
import { jobTable } from '../../output/job-table.ts'
import { pairs, type TableOptions } from '../../output/table.ts'
import { localTime } from '../../output/times.ts'
import { conditions, type Overview, readOverview, stateLines } from '../status.ts'

const CHART_MINUTES = 30
const BARS = ' ▁▂▃▄▅▆▇█'

export interface Snapshot {
  readonly overview: Overview
  readonly attempts: AttemptsOf
  readonly running: readonly ListedJob[]
  readonly recent: readonly ListedJob[]
  /** Finished per minute, oldest first. */
  readonly minutes: readonly number[]
}

export interface Frame {
  /** null: no snapshot has been read yet. */
  readonly snapshot: Snapshot | null
  readonly problem: string | null
  readonly location: string
  readonly now: number
  readonly rows: number
  readonly options: TableOptions
}

export async function readSnapshot(queue: Queue, rows: number, now: number): Promise<Snapshot> {
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

/** Fits the terminal: at most `rows` lines, none wider than the screen. */
export function drawFrame({ snapshot, problem, location, now, rows, options }: Frame): string[] {
  const { paint, width } = options
  const clock = `${localTime(now)}  q quits`
  const title = truncate(`queuectl watch  ${location}`, width - widthOf(clock) - 2)
  const gap = ' '.repeat(Math.max(2, width - widthOf(title) - widthOf(clock)))
  const lines = [paint.bold(truncate(`${title}${gap}${clock}`, width)), '']
  if (problem !== null) lines.push(paint.red(truncate(problem, width)), '')
  if (snapshot === null) return lines.slice(0, rows)

  lines.push(
    ...stateLines(snapshot.overview, paint),
    '',
    ...pairs([...conditions(snapshot.overview), [`last ${CHART_MINUTES} min`, chart(snapshot.minutes)]], options),
    '',
  )
  const free = Math.max(0, rows - lines.length)
  const half = Math.max(2, Math.floor((free - 3) / 2))
  const running = snapshot.running.slice(0, Math.max(1, half - 1))
  if (running.length > 0) {
    lines.push(paint.bold('running'), ...jobTable(running, snapshot.attempts, now, options), '')
  }
  const left = rows - lines.length - 2
  const recent = snapshot.recent.slice(0, Math.max(0, left))
  if (recent.length > 0) lines.push(paint.bold('newest'), ...jobTable(recent, snapshot.attempts, now, options))
  return lines.slice(0, rows)
}

function chart(minutes: readonly number[]): string {
  const most = Math.max(1, ...minutes)
  const bars = minutes.map((n) => BARS[n === 0 ? 0 : Math.max(1, Math.round((n / most) * (BARS.length - 1)))])
  return `${bars.join('')}  runs per minute, at most ${most}`
}
