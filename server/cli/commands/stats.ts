/** `stats`: how much was run, how long it took, and what waits, by type. */
import type { Command } from 'commander'
import { addHistogram, BUCKETS, emptyHistogram } from '../../../shared/histogram.ts'
import { MINUTE, SECOND } from '../../../shared/limits.ts'
import type { StatusCounts } from '../../../shared/status.ts'
import type { Queue } from '../../queue/queue.ts'
import type { Cli } from '../cli.ts'
import { duration } from '../input/option-values.ts'
import { inWords } from '../input/times.ts'
import { grouped } from '../output/format.ts'
import { type Column, pairs, type TableOptions, table } from '../output/table.ts'

/** The queue remembers minutes; a day of them is what one question may ask for. */
const DAY_OF_MINUTES = 1_440

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
    .option('--type <name>', 'of this type')
    .option('--last <duration>', 'runs of this time, at most a day; default: all runs there ever were', duration)
    .addHelpText(
      'after',
      `
total_runs, failed_runs and avg_duration (seconds, of the commands themselves) are of all time, jobs that were removed included,
unless --last says otherwise: then avg_duration is estimated from a histogram of the times from claim to end. dead_jobs counts jobs
that have failed for good, not cancelled ones.

Examples:
  $ queuectl stats
  $ queuectl stats --last 1h --type shell --json | jq .failed_runs`,
    )
    .action(async ({ type, last }: StatsOptions) => {
      const of = type === undefined ? {} : { type }
      await cli.withQueue(async (queue) => {
        const minutes = last === undefined ? null : Math.min(DAY_OF_MINUTES, Math.max(1, Math.ceil(last / MINUTE)))
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

/** In the words of QueueCTL. */
interface Runs {
  readonly total_runs: number
  readonly failed_runs: number
  /** Seconds; null when nothing ran. */
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

/** Every run counts as the middle of its bucket, which is at most a third off. */
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
  const average = avg_duration === null ? '–' : inWords(avg_duration * SECOND)
  const { wait, run } = stats.latency
  return [
    options.paint.bold(minutes === null ? 'all time' : `last ${inWords(minutes * MINUTE)}`),
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
        { name: 'to be claimed', of: wait },
        { name: 'to run', of: run },
      ],
      options,
    ),
    '',
    ...table(TYPES, Object.entries(stats.byType), options),
  ]
}

const words = (ms: number | null) => (ms === null ? '–' : inWords(ms))

const LATENCIES: readonly Column<{ readonly name: string; readonly of: Percentiles }>[] = [
  { title: 'LAST 15 MIN', cell: ({ name }) => name },
  { title: 'P50', cell: ({ of }) => words(of.p50), isNumber: true },
  { title: 'P95', cell: ({ of }) => words(of.p95), isNumber: true },
  { title: 'P99', cell: ({ of }) => words(of.p99), isNumber: true },
]

const TYPES: readonly Column<readonly [type: string, counts: StatusCounts]>[] = [
  { title: 'TYPE', cell: ([type]) => type },
  { title: 'PENDING', cell: ([, n]) => grouped(n.pending + n.scheduled), isNumber: true },
  { title: 'PROCESSING', cell: ([, n]) => grouped(n.processing), isNumber: true },
  { title: 'COMPLETED', cell: ([, n]) => grouped(n.completed), isNumber: true },
  { title: 'FAILED', cell: ([, n]) => grouped(n.retrying), isNumber: true },
  { title: 'DEAD', cell: ([, n]) => grouped(n.failed + n.cancelled), isNumber: true },
]
