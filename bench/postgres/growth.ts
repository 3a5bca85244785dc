/** Cost of large tables on PostgreSQL, and the size after a million jobs have passed through. */
import { type Engine, openEngine } from '../../server/index.ts'
import { MIXED, TARGET } from '../crowd.ts'
import { elapsedMs, interleave, median, ratio } from '../measure.ts'
import type { Part } from '../part.ts'
import { measurePhases, PHASES, type Phase, type PhaseFigures } from '../phases.ts'
import { figure, type Table, times } from '../table.ts'
import { fill } from './fill.ts'
import { measurePassage, passageTable } from './passage.ts'
import { openPostgres, type Postgres } from './server.ts'
import { CALLERS, PAYLOAD } from './subject.ts'

const SIZES = [10_000, 100_000, 1_000_000]
const JOBS = Number(process.env.BENCH_JOBS ?? 1_000_000)
const ROUNDS = { warmUp: 2, counted: 9 }
const TARGET_JOBS = 1_250

type LogProgress = (progress: string) => void
type Figures = Readonly<Record<string, readonly PhaseFigures[]>>

export const postgresGrowth: Part = async (folder, logProgress) => {
  if (!(JOBS >= 10_000)) throw new Error('BENCH_JOBS must be a number of at least 10000.')
  const postgres = await openPostgres(folder)
  try {
    const sizes = SIZES.filter((size) => size <= JOBS)
    const phases = await measureSizes(postgres, sizes, logProgress)
    const passage = await measurePassage(await postgres.create('passage'), JOBS, logProgress)
    return {
      tables: [sizesTable(phases, sizes, postgres.facts), passageTable(passage)],
      results: { callers: CALLERS, jobs: TARGET_JOBS, postgres: postgres.facts, phases, passage },
    }
  } finally {
    await postgres.stop()
  }
}

async function measureSizes(postgres: Postgres, sizes: readonly number[], logProgress: LogProgress): Promise<Figures> {
  const engines: Engine[] = []
  try {
    const turns: Record<string, () => Promise<PhaseFigures>> = {}
    for (const size of sizes) {
      const url = await postgres.create(`jobs_${size}`)
      const ms = await elapsedMs(() => fill(url, MIXED, size))
      logProgress(`filled ${figure(size)} jobs in ${(ms / 1_000).toFixed(1)} s`)
      const engine = await openEngine({ url })
      engines.push(engine)
      turns[size] = () => measurePhases(engine, TARGET, PAYLOAD, TARGET_JOBS, CALLERS)
    }
    logProgress(`enqueue, claim, complete, ${ROUNDS.warmUp} + ${ROUNDS.counted} rounds`)
    return await interleave(turns, ROUNDS)
  } finally {
    await Promise.all(engines.map((engine) => engine.close()))
  }
}

function sizesTable(figures: Figures, sizes: readonly number[], facts: string): Table {
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
