/** Cost of large tables: the same calls with 10 k, 100 k and 1 M jobs, and with the worst cases of 1 M. */
import Database from 'better-sqlite3'
import { STATUSES } from '../server/index.ts'
import { CALLERS } from './callers.ts'
import { TARGET } from './crowd.ts'
import {
  CROWDED,
  MILLION,
  openSubject,
  type Planned,
  SIZES,
  SMALL,
  type Subject,
  TWINS,
  TYPED,
  twinOf,
} from './growth-databases.ts'
import { elapsedMs, interleave, median, microsPerCall, ratio } from './measure.ts'
import type { Part } from './part.ts'
import { payloadOf } from './payload-of.ts'
import { measurePhases, PHASES, type PhaseFigures } from './phases.ts'
import { figure, type Table, times } from './table.ts'

const PHASE_ROUNDS = { warmUp: 2, counted: 25 }
const READ_ROUNDS = { warmUp: 1, counted: 9 }
const TARGET_JOBS = 1_280
const PAGE = 50
const READS = ['newest', 'filtered', 'stats'] as const
const CALLS = { newest: 40, filtered: 40, stats: 40 }
const SCANS = 5
/** Every claim removes a ready job, so all rounds together must claim far fewer than exist. */
const TYPE_CALLS = { claim: 20, counts: 40, stats: 5 }

type ReadFigures = Record<(typeof READS)[number], number>
type TypeFigures = Record<keyof typeof TYPE_CALLS, number>
type Rounds<Figures> = Readonly<Record<string, readonly Figures[]>>

export const growth: Part = async (folder, logProgress) => {
  const subjects: Subject[] = []
  const typed: Subject[] = []
  try {
    for (const planned of [...SIZES, ...TWINS, ...CROWDED])
      subjects.push(await openSubject(folder, planned, logProgress))
    for (const planned of TYPED) typed.push(await openSubject(folder, planned, logProgress))
    logProgress(`10 types and 10,000, ${READ_ROUNDS.warmUp} + ${READ_ROUNDS.counted} rounds`)
    const types = await interleave(turns(typed, typeTurn), READ_ROUNDS)
    logProgress(`lists and stats, ${READ_ROUNDS.warmUp} + ${READ_ROUNDS.counted} rounds`)
    const reads = await interleave(turns(subjects, readTurn), READ_ROUNDS)
    const scanMs = await scan(subjects)
    logProgress(`enqueue, claim, complete, ${PHASE_ROUNDS.warmUp} + ${PHASE_ROUNDS.counted} rounds`)
    const loaded = subjects.filter(({ name }) => TWINS.every((twin) => twin.name !== name))
    const phases = await interleave(turns(loaded, phaseTurn), PHASE_ROUNDS)
    return {
      tables: [phaseTable(phases), readTable(reads), statsTable(reads, scanMs), typeTable(types)],
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

async function readTurn({ engine, crowd }: Subject): Promise<ReadFigures> {
  const { type } = crowd.list
  const status = STATUSES.filter((known) => known === crowd.list.status)
  const fullPage = async (input: Parameters<typeof engine.list>[0]) => {
    const { jobs } = await engine.list({ ...input, limit: PAGE })
    if (jobs.length !== PAGE) throw new Error(`A page of ${PAGE} had ${jobs.length} jobs; the measurement is invalid.`)
  }
  return {
    newest: await microsPerCall(CALLS.newest, () => fullPage({})),
    filtered: await microsPerCall(CALLS.filtered, () => fullPage({ type, status })),
    stats: await microsPerCall(CALLS.stats, () => engine.stats()),
  }
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
async function scan(subjects: readonly Subject[]): Promise<number[]> {
  const million = subjects.find(({ name }) => name === MILLION.name)
  if (!million) return []
  const client = new Database(million.file, { readonly: true })
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

function phaseTable(rounds: Rounds<PhaseFigures>): Table {
  const earlier = TARGET_JOBS * (PHASE_ROUNDS.warmUp + PHASE_ROUNDS.counted)
  return {
    title: `Growth, writes: ${CALLERS} callers, every commit fsynced, µs per job and ratio to ${SMALL.name}`,
    head: ['in the table', ...PHASES.flatMap((phase) => [phase, ''])],
    rows: [...SIZES, ...CROWDED].map((planned) => row(rounds, PHASES, planned, SMALL)),
    notes: [
      `medians of ${PHASE_ROUNDS.counted} interleaved rounds of ${figure(TARGET_JOBS)} jobs on top`,
      `each table also keeps the finished jobs of earlier rounds, ${figure(earlier)} at the end`,
    ],
  }
}

function readTable(rounds: Rounds<ReadFigures>): Table {
  const pairs = CROWDED.flatMap((planned) => [twinOf(planned), planned])
  return {
    title: `Growth, reads: µs per call and ratio to the same kind of table with 10 k jobs`,
    head: ['in the table', `newest ${PAGE}`, '', `newest ${PAGE} of a type and status`, '', 'stats', ''],
    rows: [...SIZES, ...pairs].map((planned) => row(rounds, READS, planned, twinOf(planned))),
    notes: [`medians of ${READ_ROUNDS.counted} interleaved rounds`],
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

function statsTable(rounds: Rounds<ReadFigures>, scanMs: readonly number[]): Table {
  const stats = median((rounds[MILLION.name] ?? []).map((round) => round.stats))
  const scanMicros = median(scanMs) * 1_000
  return {
    title: `Counts of ${MILLION.name}, µs`,
    head: ['engine.stats()', 'SELECT status, COUNT(*) … GROUP BY status', 'ratio'],
    rows: [[figure(stats), figure(scanMicros), `${figure(scanMicros / stats)} ×`]],
  }
}
