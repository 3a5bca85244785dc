/** `stats`: run totals, durations and job counts by type. */
import type { Command } from 'commander'
import { MINUTE, SECOND } from '../../../shared/limits.ts'
import type { Queue } from '../../../shared/queue.ts'
import { addHistogram, BUCKETS, emptyHistogram } from '../../../shared/stats/histogram.ts'
import type { StatusCounts } from '../../../shared/status.ts'
import type { Cli } from '../cli.ts'
import { duration } from '../input/option-values.ts'
import { grouped } from '../output/format.ts'
import { type Column, pairs, type TableOptions, table } from '../output/table.ts'
import { roundedDuration } from '../output/times.ts'

/** Largest window of one `history` request, in minutes. */
const MAX_MINUTES = 1_440

type Stats = Awaited<ReturnType<Queue['stats']>>
type Percentiles = Stats['latency']['wait']
type MinuteRow = Awaited<ReturnType<Queue['history']>>[number]

interface StatsOptions {
  readonly type?: string
  readonly last?: number
}

export function addStats(program: Command, cli: Cli): void {
  program
    .command('stats')
    .description('show runs, failures, durations and counts by type')
    .option('--type <name>', 'only this type')
    .option('--last <duration>', 'only runs in this period, at most 24h (default: all time)', duration)
    .addHelpText(
      'after',
      `
total_runs, failed_runs and avg_duration (in seconds) cover all time, including deleted jobs. With --last they cover that
period, and avg_duration is an estimate from a histogram of the time from claim to end. dead_jobs counts permanently
failed jobs, without cancelled ones.

Examples:
  $ queuectl stats
  $ queuectl stats --last 1h --type shell --json | jq .failed_runs`,
    )
    .action(async ({ type, last }: StatsOptions) => {
      const of = type === undefined ? {} : { type }
      await cli.withQueue(async (queue) => {
        const minutes = last === undefined ? null : Math.min(MAX_MINUTES, Math.max(1, Math.ceil(last / MINUTE)))
        const [{ allTime, ...stats }, history] = await Promise.all([
          queue.stats({ ...of, allTime: minutes === null }),
          minutes === null ? [] : queue.history({ minutes, ...of }),
        ])
        const runs = allTime ? runsOfAllTime(allTime) : runsIn(history)
        const metrics = { ...runs, dead_jobs: stats.counts.failed }
        if (cli.isJson) cli.printJson({ ...metrics, window_seconds: minutes === null ? null : minutes * 60, ...stats })
        else cli.print(...report(stats, metrics, minutes, await cli.tableOptions()))
      })
    })
}

/** Field names of QueueCTL. */
interface Runs {
  readonly total_runs: number
  readonly failed_runs: number
  /** In seconds. null: no runs. */
  readonly avg_duration: number | null
}

interface Metrics extends Runs {
  readonly dead_jobs: number
}

function runsOfAllTime({ completed, failed, runMs }: NonNullable<Stats['allTime']>): Runs {
  const total = completed + failed
  return {
    total_runs: total,
    failed_runs: failed,
    avg_duration: total === 0 ? null : Math.round(runMs / total) / SECOND,
  }
}

function runsIn(history: readonly MinuteRow[]): Runs {
  const runs = emptyHistogram()
  let [completed, failed] = [0, 0]
  for (const minute of history) {
    completed += minute.completed
    failed += minute.failed
    addHistogram(runs, minute.runs)
  }
  return { total_runs: completed + failed, failed_runs: failed, avg_duration: mean(runs) }
}

/** Each run counts as the middle of its histogram bucket, which is off by at most a third. */
function mean(histogram: readonly number[]): number | null {
  let [runs, ms] = [0, 0]
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    const n = histogram[bucket] ?? 0
    runs += n
    ms += n * (bucket === 0 ? 0.5 : 0.75 * 2 ** bucket)
  }
  return runs === 0 ? null : Math.round(ms / runs) / SECOND
}

function report(
  stats: Omit<Stats, 'allTime'>,
  metrics: Metrics,
  minutes: number | null,
  options: TableOptions,
): string[] {
  const { total_runs, failed_runs, avg_duration, dead_jobs } = metrics
  const average = avg_duration === null ? '–' : roundedDuration(avg_duration * SECOND)
  const { wait, run } = stats.latency
  return [
    options.paint.bold(minutes === null ? 'all time' : `last ${roundedDuration(minutes * MINUTE)}`),
    ...pairs(
      [
        ['total_runs', grouped(total_runs)],
        ['failed_runs', grouped(failed_runs)],
        ['avg_duration', minutes === null ? average : `about ${average}`],
        ['dead_jobs', `${grouped(dead_jobs)} now`],
      ],
      options,
    ),
    '',
    ...table(
      LATENCIES,
      [
        { name: 'wait', of: wait },
        { name: 'run', of: run },
      ],
      options,
    ),
    '',
    ...table(TYPES, Object.entries(stats.byType), options),
  ]
}

const latency = (ms: number | null) => (ms === null ? '–' : roundedDuration(ms))

const LATENCIES: readonly Column<{ readonly name: string; readonly of: Percentiles }>[] = [
  { title: 'LAST 15 MIN', cell: ({ name }) => name },
  { title: 'P50', cell: ({ of }) => latency(of.p50), isNumber: true },
  { title: 'P95', cell: ({ of }) => latency(of.p95), isNumber: true },
  { title: 'P99', cell: ({ of }) => latency(of.p99), isNumber: true },
]

const TYPES: readonly Column<readonly [type: string, counts: StatusCounts]>[] = [
  { title: 'TYPE', cell: ([type]) => type },
  { title: 'PENDING', cell: ([, n]) => grouped(n.pending + n.scheduled + n.blocked), isNumber: true },
  { title: 'PROCESSING', cell: ([, n]) => grouped(n.processing), isNumber: true },
  { title: 'COMPLETED', cell: ([, n]) => grouped(n.completed), isNumber: true },
  { title: 'FAILED', cell: ([, n]) => grouped(n.retrying), isNumber: true },
  { title: 'DEAD', cell: ([, n]) => grouped(n.failed + n.cancelled), isNumber: true },
]
