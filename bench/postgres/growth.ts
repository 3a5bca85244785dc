/** Cost of large tables on PostgreSQL, and the size after a million jobs have passed through. */
import { type Engine, openEngine } from '../../server/index.ts'
import { measurePhases, PHASES, type Phase, type PhaseFigures } from '../engine/phases.ts'
import { MIXED, TARGET } from '../growth/crowd.ts'
import { measureReads, PAGE, READS, type ReadFigures } from '../growth/reads.ts'
import { parseSizes } from '../growth/sizes.ts'
import { elapsedMs, interleave, median, ratio } from '../harness/measure.ts'
import type { Part } from '../harness/part.ts'
import { figure, type Table, times } from '../harness/table.ts'
import { fill } from './fill.ts'
import { measurePassage, passageTable } from './passage.ts'
import { openShippedPostgres, type Postgres } from './server.ts'
import { CALLERS, PAYLOAD } from './subject.ts'

const SIZES = [10_000, 100_000, 1_000_000]
const ROUNDS = { warmUp: 2, counted: 9 }
const READ_ROUNDS = { warmUp: 1, counted: 5 }
const TARGET_JOBS = 1_250

type LogProgress = (progress: string) => void
type Rounds<Figures> = Readonly<Record<string, readonly Figures[]>>

interface Measured {
  readonly phases: Rounds<PhaseFigures>
  readonly reads: Rounds<ReadFigures>
}

export const postgresGrowth: Part = async (folder, logProgress, args = []) => {
  const sizes = parseSizes(args, SIZES)
  const postgres = await openShippedPostgres(folder, logProgress)
  logProgress(postgres.facts)
  try {
    const { phases, reads } = await measureSizes(postgres, sizes, logProgress)
    const passage = await measurePassage(await postgres.create('passage'), sizes.at(-1) ?? 0, logProgress)
    return {
      tables: [sizesTable(phases, sizes, postgres.facts), readTable(reads, sizes), passageTable(passage)],
      results: { callers: CALLERS, jobs: TARGET_JOBS, postgres: postgres.facts, phases, reads, passage },
    }
  } finally {
    await postgres.stop()
  }
}

async function measureSizes(postgres: Postgres, sizes: readonly number[], logProgress: LogProgress): Promise<Measured> {
  const engines: Engine[] = []
  try {
    const turns: Record<string, () => Promise<PhaseFigures>> = {}
    const readTurns: Record<string, () => Promise<ReadFigures>> = {}
    for (const size of sizes) {
      const url = await postgres.create(`jobs_${size}`)
      const ms = await elapsedMs(() => fill(url, MIXED, size))
      logProgress(`filled ${figure(size)} jobs in ${(ms / 1_000).toFixed(1)} s`)
      const engine = await openEngine({ url })
      engines.push(engine)
      turns[size] = () => measurePhases(engine, TARGET, PAYLOAD, TARGET_JOBS, CALLERS)
      readTurns[size] = () => measureReads(engine, MIXED)
    }
    logProgress(`enqueue, claim, complete, ${ROUNDS.warmUp} + ${ROUNDS.counted} rounds`)
    const phases = await interleave(turns, ROUNDS)
    logProgress(`lists, stats and dashboard, ${READ_ROUNDS.warmUp} + ${READ_ROUNDS.counted} rounds`)
    return { phases, reads: await interleave(readTurns, READ_ROUNDS) }
  } finally {
    await Promise.all(engines.map((engine) => engine.close()))
  }
}

function sizesTable(figures: Rounds<PhaseFigures>, sizes: readonly number[], facts: string): Table {
  const of = (size: number | undefined, phase: Phase) => (figures[String(size)] ?? []).map((round) => round[phase])
  const [smallest] = sizes
  const earlier = TARGET_JOBS * (ROUNDS.warmUp + ROUNDS.counted)
  return {
    title: `PostgreSQL, growth: ${CALLERS} callers, every commit fsynced, µs per job and ratio to ${figure(smallest ?? 0)} jobs`,
    head: ['in the table', ...PHASES.flatMap((phase) => [phase, ''])],
    rows: sizes.map((size) => [
      `${figure(size)} jobs`,
      ...PHASES.flatMap((phase) => [
        figure(median(of(size, phase))),
        size === smallest ? '' : times(ratio(of(size, phase), of(smallest, phase))),
      ]),
    ]),
    notes: [
      facts,
      `medians of ${ROUNDS.counted} interleaved rounds of ${figure(TARGET_JOBS)} jobs on top`,
      `each table also keeps the finished jobs of earlier rounds, ${figure(earlier)} at the end`,
    ],
  }
}

function readTable(figures: Rounds<ReadFigures>, sizes: readonly number[]): Table {
  const of = (size: number | undefined, read: keyof ReadFigures) =>
    (figures[String(size)] ?? []).map((round) => round[read])
  const [smallest] = sizes
  return {
    title: `PostgreSQL, growth, reads: µs per call and ratio to ${figure(smallest ?? 0)} jobs`,
    head: [
      'in the table',
      `newest ${PAGE}`,
      '',
      `newest ${PAGE} of a type and status`,
      '',
      'stats',
      '',
      'dashboard',
      '',
    ],
    rows: sizes.map((size) => [
      `${figure(size)} jobs`,
      ...READS.flatMap((read) => [
        figure(median(of(size, read))),
        size === smallest ? '' : times(ratio(of(size, read), of(smallest, read))),
      ]),
    ]),
    notes: ['dashboard: all reads of its first page at once', `medians of ${READ_ROUNDS.counted} interleaved rounds`],
  }
}
