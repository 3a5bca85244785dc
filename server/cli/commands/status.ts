/** `status`: job counts and health of the queue at a glance. */
import type { Command } from 'commander'
import { MINUTE } from '../../../shared/limits.ts'
import type { Queue } from '../../../shared/queue.ts'
import { STATUSES, type Status, type StatusCounts } from '../../../shared/status.ts'
import { type QueuectlState, queuectlState } from '../../../shared/vocabulary.ts'
import type { Cli } from '../cli.ts'
import { STATES } from '../input/states.ts'
import { bytes, count, DIALECTS, grouped } from '../output/format.ts'
import { type Paint, statusBrush } from '../output/paint.ts'
import { pairs } from '../output/table.ts'
import { roundedDuration } from '../output/times.ts'

/** A worker not seen for longer than this counts as gone. */
export const WORKER_SEEN_MS = MINUTE

export function addStatus(program: Command, cli: Cli): void {
  program
    .command('status')
    .description('show job counts by state, and whether workers are online')
    .addHelpText('after', '\nExamples:\n  $ queuectl status\n  $ queuectl status --json | jq .dead')
    .action(async () => {
      await cli.withQueue(async (queue, where) => {
        const overview = await readOverview(queue, cli.now())
        if (cli.isJson) {
          cli.printJson({ ...overview.states, ...overview, where: where.shown })
          return
        }
        const options = await cli.tableOptions()
        cli.print(
          ...stateLines(overview, options.paint),
          '',
          ...pairs([...conditions(overview), ['database', database(overview)]], options),
        )
      })
    })
}

export interface Overview {
  readonly states: Readonly<Record<QueuectlState, number>>
  readonly statuses: StatusCounts
  readonly total: number
  readonly isPaused: boolean
  readonly pausedTypes: readonly string[]
  /** Workers seen in the last minute. */
  readonly workers: number
  readonly oldestReadyMs: number | null
  readonly oldestReady: Awaited<ReturnType<Queue['stats']>>['oldestReady']
  readonly throughput: Awaited<ReturnType<Queue['stats']>>['throughput']
  readonly database: Awaited<ReturnType<Queue['facts']>>
}

export async function readOverview(queue: Queue, now: number): Promise<Overview> {
  const [stats, settings, workers, types, database] = await Promise.all([
    queue.stats(),
    queue.settings(),
    queue.workers(),
    queue.types(),
    queue.facts(),
  ])
  const states = { pending: 0, processing: 0, completed: 0, failed: 0, dead: 0 }
  for (const status of STATUSES) states[queuectlState[status]] += stats.counts[status]
  return {
    states,
    statuses: stats.counts,
    total: STATUSES.reduce((sum, status) => sum + stats.counts[status], 0),
    isPaused: settings.paused ?? false,
    pausedTypes: types.filter(({ effective }) => effective.paused).map(({ name }) => name),
    workers: workers.filter(({ seenAt }) => now - seenAt < WORKER_SEEN_MS).length,
    oldestReadyMs: stats.oldestReadyMs,
    oldestReady: stats.oldestReady,
    throughput: stats.throughput,
    database,
  }
}

const BRUSHES: Readonly<Record<QueuectlState, Status>> = {
  pending: 'pending',
  processing: 'processing',
  completed: 'completed',
  failed: 'retrying',
  dead: 'failed',
}

export function stateLines({ states, statuses, total }: Overview, paint: Paint): string[] {
  const width = grouped(total).length
  const line = (name: string, number: number, note = '') =>
    `${name}${' '.repeat(Math.max(1, 12 - name.length))}${grouped(number).padStart(width)}${note && `   ${note}`}`
  const notes: Partial<Record<QueuectlState, string>> = {
    ...(statuses.scheduled > 0 && { pending: `${some(statuses.scheduled, states.pending)}not due yet` }),
    ...(statuses.retrying > 0 && { failed: 'waiting for a retry' }),
    ...(statuses.cancelled > 0 && { dead: `${some(statuses.cancelled, states.dead)}cancelled` }),
  }
  return [
    ...STATES.map((state) => {
      const brush = states[state] > 0 ? statusBrush(paint, BRUSHES[state]) : paint.dim
      return line(state, states[state], notes[state]).replace(state, brush)
    }),
    line('total', total).replace('total', paint.dim),
  ]
}

function some(number: number, all: number): string {
  return number === all ? '' : `${grouped(number)} of them `
}

export function conditions(overview: Overview): readonly (readonly [string, string])[] {
  const { isPaused, pausedTypes, workers, oldestReady, throughput } = overview
  const { enqueued, completed, failed, dead, windowMs } = throughput
  const paused = pausedTypes.length > 0 ? `, paused types: ${pausedTypes.join(', ')}` : ''
  return [
    ['queue', isPaused ? 'paused; resume it with queuectl resume' : `running${paused}`],
    [
      'oldest',
      oldestReady ? `${oldestReady.type}, waiting for ${roundedDuration(oldestReady.ms)}` : noWaitingJob(overview),
    ],
    [
      `last ${roundedDuration(windowMs)}`,
      `${grouped(enqueued)} enqueued, ${grouped(completed)} completed, ${count(failed, 'failed attempt')}, ${grouped(dead)} dead`,
    ],
    ['workers', workers === 0 ? 'none seen in the last minute' : `${count(workers, 'worker')} seen in the last minute`],
  ]
}

/** Paused jobs do not count as waiting. */
function noWaitingJob({ isPaused, pausedTypes, statuses }: Overview): string {
  if (statuses.pending === 0) return 'no job is waiting'
  const cause = isPaused ? 'the queue is' : pausedTypes.length === 1 ? 'their type is' : 'their types are'
  return `${count(statuses.pending, 'job')} ready, but ${cause} paused`
}

function database({ database: { dialect, version, location, sizeBytes, durability, isFull } }: Overview): string {
  const full = isFull ? ', disk full: new jobs are rejected' : ''
  return `${location} (${DIALECTS[dialect]} ${version}, ${bytes(sizeBytes)}, durability ${durability}${full})`
}
