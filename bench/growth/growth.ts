/** Cost of large tables: the same calls with 10 k to 5 M jobs, and with the worst cases of 1 M. */
import Database from 'better-sqlite3'
import { CALLERS } from '../engine/callers.ts'
import { measurePhases, PHASES, type PhaseFigures } from '../engine/phases.ts'
import { elapsedMs, interleave, median, microsPerCall, ratio } from '../harness/measure.ts'
import type { Part } from '../harness/part.ts'
import { payloadOf } from '../harness/payload-of.ts'
import { figure, type Table, times } from '../harness/table.ts'
import { TARGET } from './crowd.ts'
import { openSubject, type Plan, type Planned, planOf, type Subject, TYPED, twinOf } from './databases.ts'
import { measureReads, PAGE, READS, type ReadFigures } from './reads.ts'
import { parseSizes } from './sizes.ts'

const SIZES = [10_000, 100_000, 1_000_000, 5_000_000]
const PHASE_ROUNDS = { warmUp: 2, counted: 25 }
const READ_ROUNDS = { warmUp: 1, counted: 9 }
const TARGET_JOBS = 1_280
const SCANS = 5
/** Every claim removes a ready job, so all rounds together must claim far fewer than exist. */
const TYPE_CALLS = { claim: 20, counts: 40, stats: 5 }

type TypeFigures = Record<keyof typeof TYPE_CALLS, number>
type Rounds<Figures> = Readonly<Record<string, readonly Figures[]>>

export const growth: Part = async (folder, logProgress, args = []) => {
  const plan = planOf(parseSizes(args, SIZES))
  const subjects: Subject[] = []
  const typed: Subject[] = []
  try {
    for (const planned of [...plan.sizes, ...plan.twins, ...plan.crowded]) {
      subjects.push(await openSubject(folder, planned, logProgress))
    }
    for (const planned of TYPED) typed.push(await openSubject(folder, planned, logProgress))
    logProgress(`10 types and 10,000, ${READ_ROUNDS.warmUp} + ${READ_ROUNDS.counted} rounds`)
    const types = await interleave(turns(typed, typeTurn), READ_ROUNDS)
    logProgress(`lists and stats, ${READ_ROUNDS.warmUp} + ${READ_ROUNDS.counted} rounds`)
    const reads = await interleave(turns(subjects, readTurn), READ_ROUNDS)
    const scanMs = await scan(subjects, plan.largest)
    logProgress(`enqueue, claim, complete, ${PHASE_ROUNDS.warmUp} + ${PHASE_ROUNDS.counted} rounds`)
    const loaded = subjects.filter(({ name }) => plan.twins.every((twin) => twin.name !== name))
    const phases = await interleave(turns(loaded, phaseTurn), PHASE_ROUNDS)
    return {
      tables: [phaseTable(plan, phases), readTable(plan, reads), statsTable(plan, reads, scanMs), typeTable(types)],
      results: { callers: CALLERS, jobs: TARGET_JOBS, phases, reads, scanMs, types },
    }
  } finally {
    await Promise.all([...subjects, ...typed].map(({ engine }) => engine.close()))
  }
}

function turns<Figures>(subjects: readonly Subject[], turn: (subject: Subject) => Promise<Figures>) {
  return Object.fromEntries(subjects.map((subject) => [subject.name, () => turn(subject)]))
}

function phaseTurn({ engine }: Subject): Promise<PhaseFigures> {
  return measurePhases(engine, TARGET, payloadOf(200), TARGET_JOBS)
}

function readTurn({ engine, crowd }: Subject): Promise<ReadFigures> {
  return measureReads(engine, crowd)
}

async function typeTurn({ engine }: Subject): Promise<TypeFigures> {
  const claimOne = async () => {
    const jobs = await engine.claim({ worker: 'worker', limit: 1 })
    if (jobs.length !== 1) throw new Error('A claim got no job; the measurement is invalid.')
  }
  return {
    claim: await microsPerCall(TYPE_CALLS.claim, claimOne),
    counts: await microsPerCall(TYPE_CALLS.counts, () => engine.counts()),
    stats: await microsPerCall(TYPE_CALLS.stats, () => engine.stats()),
  }
}

/** Cost of exact counts without counters, in milliseconds. */
async function scan(subjects: readonly Subject[], largest: Planned): Promise<number[]> {
  const subject = subjects.find(({ name }) => name === largest.name)
  if (!subject) return []
  const client = new Database(subject.file, { readonly: true })
  const count = client.prepare('SELECT status, COUNT(*) FROM millrace_jobs GROUP BY status')
  const figures: number[] = []
  for (let i = 0; i < SCANS; i++) figures.push(await elapsedMs(() => count.all()))
  client.close()
  return figures
}

/** Each value and its ratio to `base`. */
function row<Column extends string>(
  rounds: Rounds<Record<Column, number>>,
  columns: readonly Column[],
  planned: Planned,
  base: Planned,
): string[] {
  const of = ({ name }: Planned, column: Column) => (rounds[name] ?? []).map((round) => round[column])
  const cells = columns.flatMap((column) => [
    figure(median(of(planned, column))),
    planned === base ? '' : times(ratio(of(planned, column), of(base, column))),
  ])
  return [planned.name, ...cells]
}

function phaseTable({ sizes, crowded, small }: Plan, rounds: Rounds<PhaseFigures>): Table {
  const earlier = TARGET_JOBS * (PHASE_ROUNDS.warmUp + PHASE_ROUNDS.counted)
  return {
    title: `Growth, writes: ${CALLERS} callers, every commit fsynced, µs per job and ratio to ${small.name}`,
    head: ['in the table', ...PHASES.flatMap((phase) => [phase, ''])],
    rows: [...sizes, ...crowded].map((planned) => row(rounds, PHASES, planned, small)),
    notes: [
      `medians of ${PHASE_ROUNDS.counted} interleaved rounds of ${figure(TARGET_JOBS)} jobs on top`,
      `each table also keeps the finished jobs of earlier rounds, ${figure(earlier)} at the end`,
    ],
  }
}

function readTable(plan: Plan, rounds: Rounds<ReadFigures>): Table {
  const pairs = plan.crowded.flatMap((planned) => [...new Set([twinOf(plan, planned), planned])])
  return {
    title: `Growth, reads: µs per call and ratio to the same kind of table with ${plan.small.name}`,
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
    rows: [...plan.sizes, ...pairs].map((planned) => row(rounds, READS, planned, twinOf(plan, planned))),
    notes: ['dashboard: all reads of its first page at once', `medians of ${READ_ROUNDS.counted} interleaved rounds`],
  }
}

function typeTable(rounds: Rounds<TypeFigures>): Table {
  const columns = ['claim', 'counts', 'stats'] as const
  const [few, many] = TYPED
  return {
    title: `Growth, types: 10 k ready jobs, µs per call and ratio to ${few.name}`,
    head: ['in the table', 'claim of 1, without types', '', 'counts', '', 'stats', ''],
    rows: [row(rounds, columns, few, few), row(rounds, columns, many, few)],
    notes: [`medians of ${READ_ROUNDS.counted} interleaved rounds`],
  }
}

function statsTable({ largest }: Plan, rounds: Rounds<ReadFigures>, scanMs: readonly number[]): Table {
  const stats = median((rounds[largest.name] ?? []).map((round) => round.stats))
  const scanMicros = median(scanMs) * 1_000
  return {
    title: `Counts of ${largest.name}, µs`,
    head: ['engine.stats()', 'SELECT status, COUNT(*) … GROUP BY status', 'ratio'],
    rows: [[figure(stats), figure(scanMicros), `${figure(scanMicros / stats)} ×`]],
  }
}
