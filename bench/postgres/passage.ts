/** Sends many jobs through a queue without retention; the size of all tables must stay bounded. */
import { Client } from 'pg'
import { type ClaimedJob, type Engine, openEngine } from '../../server/index.ts'
import { RESULT } from '../engine/callers.ts'
import { figure, type Table, times } from '../harness/table.ts'
import { PAYLOAD } from './subject.ts'

const TYPE = 'passage'
const STEPS = 10
/** Maximum batch sizes of the calls. */
const ENQUEUED_AT_ONCE = 1_000
const CLAIMED_AT_ONCE = 100
/** Jobs per cycle: all are enqueued, then all are finished. */
const LOT = 10_000
const WORKERS = 10
/** Finished jobs are deleted at this number, or by the upkeep of the engine. */
const KEPT = 20_000
/** Time limit of the benchmark. */
const MAX_MS = 480_000

interface Relation {
  /** The table with its TOAST. */
  readonly tableBytes: number
  readonly indexBytes: number
  readonly deadRows: number
  readonly indexes: Readonly<Record<string, number>>
}

export interface Step {
  readonly passed: number
  readonly seconds: number
  readonly relations: Readonly<Record<string, Relation>>
  readonly counts: number
  readonly minutes: number
}

export interface Passage {
  readonly asked: number
  readonly steps: readonly Step[]
}

export async function measurePassage(
  url: string,
  jobs: number,
  logProgress: (progress: string) => void,
): Promise<Passage> {
  const engine = await openEngine({ url })
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await engine.declareTypes({ types: [{ name: TYPE, settings: { retentionMs: 0 } }] })
    const steps: Step[] = []
    const startedAt = performance.now()
    const elapsed = () => performance.now() - startedAt
    for (let passed = 0, kept = 0; passed < jobs && elapsed() < MAX_MS; ) {
      const lot = Math.min(LOT, jobs - passed)
      await enqueueLot(engine, lot)
      await finishLot(engine, lot)
      passed += lot
      kept += lot
      if (kept >= KEPT) {
        await engine.cleanup({ type: TYPE })
        kept = 0
      }
      if (passed < ((steps.length + 1) * jobs) / STEPS && elapsed() < MAX_MS) continue
      steps.push({ passed, seconds: elapsed() / 1_000, ...(await readSizes(client)) })
      logProgress(`${whole(passed)} jobs have passed after ${whole(elapsed() / 1_000)} s`)
    }
    return { asked: jobs, steps }
  } finally {
    await client.end()
    await engine.close()
  }
}

async function enqueueLot(engine: Engine, jobs: number): Promise<void> {
  const job = { type: TYPE, payload: PAYLOAD }
  for (let enqueued = 0; enqueued < jobs; enqueued += ENQUEUED_AT_ONCE) {
    const length = Math.min(ENQUEUED_AT_ONCE, jobs - enqueued)
    await engine.enqueueMany({ jobs: Array.from({ length }, () => job) })
  }
}

async function finishLot(engine: Engine, jobs: number): Promise<void> {
  let finished = 0
  const work = async (_: unknown, number: number) => {
    let held: readonly ClaimedJob[] = []
    while (finished < jobs) {
      const { settled, jobs: claimed } = await engine.exchange({
        worker: `worker-${number}`,
        settle: held.map(({ id, version }) => ({ kind: 'complete', id, version, result: RESULT })),
        claim: { types: [TYPE], limit: CLAIMED_AT_ONCE },
      })
      if (settled.some(({ ok }) => !ok)) throw new Error('A claimed job could not be completed.')
      finished += settled.length
      held = claimed
    }
  }
  await Promise.all(Array.from({ length: WORKERS }, work))
}

async function readSizes(client: Client): Promise<Pick<Step, 'relations' | 'counts' | 'minutes'>> {
  const tables = await client.query<{ name: string; table: number; indexes: number; dead: number }>(
    `SELECT relname AS name, pg_table_size(relid)::float8 AS table, pg_indexes_size(relid)::float8 AS indexes,
       n_dead_tup::float8 AS dead
     FROM pg_stat_user_tables`,
  )
  const indexes = await client.query<{ table: string; name: string; bytes: number }>(
    `SELECT relname AS table, indexrelname AS name, pg_relation_size(indexrelid)::float8 AS bytes
     FROM pg_stat_user_indexes ORDER BY 2`,
  )
  const rows = await client.query<{ counts: number; minutes: number }>(
    `SELECT (SELECT count(*) FROM millrace_job_counts)::int AS counts, (SELECT count(*) FROM millrace_job_minutes)::int AS minutes`,
  )
  const indexesOf = (table: string) =>
    Object.fromEntries(indexes.rows.filter((row) => row.table === table).map(({ name, bytes }) => [name, bytes]))
  const relations = tables.rows.map(({ name, table, indexes: indexBytes, dead }): [string, Relation] => [
    name,
    { tableBytes: table, indexBytes, deadRows: dead, indexes: indexesOf(name) },
  ])
  const [{ counts, minutes } = { counts: 0, minutes: 0 }] = rows.rows
  return { relations: Object.fromEntries(relations), counts, minutes }
}

/** Tables with their indexes; the job table has two columns because it has many indexes. */
const SHOWN = ['millrace_job_bodies', 'millrace_job_results', 'millrace_job_counts', 'millrace_job_minutes'] as const

export function passageTable({ asked, steps }: Passage): Table {
  const megabytes = (bytes: number) => figure(bytes / 2 ** 20)
  const sizeOf = ({ tableBytes, indexBytes }: Relation) => tableBytes + indexBytes
  const sum = ({ relations }: Step, pick: (relation: Relation) => number) =>
    Object.values(relations).reduce((total, relation) => total + pick(relation), 0)
  const row = (step: Step) => {
    const { passed, seconds, relations, counts, minutes } = step
    const sizes = [
      relations.millrace_jobs?.tableBytes ?? 0,
      relations.millrace_jobs?.indexBytes ?? 0,
      ...SHOWN.map((name) => (relations[name] ? sizeOf(relations[name]) : 0)),
      sum(step, sizeOf),
    ]
    const rest = [sum(step, ({ deadRows }) => deadRows), counts, minutes]
    return [passed, seconds].map(whole).concat(sizes.map(megabytes), rest.map(whole))
  }
  const last = steps.at(-1)
  const passed = last?.passed ?? 0
  // The size rises until autovacuum runs and falls afterwards, so peaks are compared, not single rows.
  const half = Math.ceil(steps.length / 2)
  const peak = (some: readonly Step[]) => Math.max(...some.map((step) => sum(step, sizeOf)))
  const growth = peak(steps.slice(half)) / peak(steps.slice(0, half))
  return {
    title: `PostgreSQL, bounded size: ${whole(passed)} jobs pass, at most ${whole(KEPT)} are there at a time; MiB with indexes`,
    head: [
      ...[
        'jobs passed',
        'after s',
        'jobs',
        'its indexes',
        ...SHOWN.map((name) => name.replace('millrace_', '')),
        'all tables',
      ],
      ...['dead rows', 'rows in job_counts', 'in job_minutes'],
    ],
    rows: steps.map(row),
    notes: [
      ...(steps.length > 1 ? [`all tables, peak of the later rows / peak of the first ${half}: ${times(growth)}`] : []),
      `finished jobs are removed after every ${whole(KEPT)}; autovacuum and the engine's own upkeep run as they do, once a minute`,
      ...(passed < asked ? [`ended after ${MAX_MS / 1_000} s, before all ${whole(asked)} had passed`] : []),
    ],
  }
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}
