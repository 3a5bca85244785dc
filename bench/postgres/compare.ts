/** Compares Millrace on PostgreSQL with bare SQL, pg-boss and graphile-worker. */
import { interleave, median, percentile, ratio, type Turn } from '../measure.ts'
import type { Part } from '../part.ts'
import { figure, type Table, times } from '../table.ts'
import { latencies } from '../turn.ts'
import { openLimit, openRaw } from './bare.ts'
import { openGraphileWorker } from './graphile-worker.ts'
import { openMillrace } from './millrace.ts'
import { openPgBoss } from './pg-boss.ts'
import { openPostgres, type Postgres } from './server.ts'
import { CALLERS, PAYLOAD_BYTES } from './subject.ts'

const ROUNDS = { warmUp: 1, counted: 9 }
const LONE_ROUNDS = { warmUp: 1, counted: 15 }
const LONE_MS = 250

type LogProgress = (progress: string) => void
type Subjects = Awaited<ReturnType<typeof openSubjects>>
type Crowd = Awaited<ReturnType<typeof measureCrowd>>
type Lone = Awaited<ReturnType<typeof measureLone>>

export const postgresComparison: Part = async (folder, logProgress) => {
  const postgres = await openPostgres(folder)
  try {
    const subjects = await openSubjects(postgres, logProgress)
    try {
      const crowd = await measureCrowd(subjects, logProgress)
      const lone = await measureLone(subjects, logProgress)
      const { versions } = subjects
      return {
        tables: [crowdTable(crowd, versions, postgres.facts), loneTable(lone)],
        results: {
          ...{ callers: CALLERS, payloadBytes: PAYLOAD_BYTES, postgres: postgres.facts, versions },
          ...{ jobsPerSecond: crowd, loneMs: lone },
        },
      }
    } finally {
      await subjects.close()
    }
  } finally {
    await postgres.stop()
  }
}

/** One database per subject, so that they do not share rows. */
async function openSubjects(postgres: Postgres, logProgress: LogProgress) {
  logProgress(postgres.facts)
  const close: (() => Promise<void>)[] = []
  const opened = <Subject extends { close(): Promise<void> }>(subject: Subject): Subject => {
    close.push(() => subject.close())
    return subject
  }
  const closeAll = async () => {
    for (const one of close) await one()
  }
  try {
    const urls = new Map<string, string>()
    for (const name of ['millrace', 'raw', 'limit', 'boss', 'graphile_enqueue', 'graphile_live']) {
      urls.set(name, await postgres.create(name))
    }
    const urlOf = (name: string) => urls.get(name) ?? ''
    const millrace = opened(await openMillrace(urlOf('millrace')))
    const raw = opened(await openRaw(urlOf('raw')))
    const limit = opened(await openLimit(urlOf('limit')))
    const boss = opened(await openPgBoss(urlOf('boss'), ({ message }) => logProgress(`pg-boss: ${message}`)))
    const graphile = opened(await openGraphileWorker(urlOf('graphile_enqueue'), urlOf('graphile_live')))
    return {
      ...{ millrace, raw, limit, boss, graphile },
      versions: { pgBoss: boss.version, graphileWorker: graphile.version },
      /** As autovacuum would do within the first minute, so that no statement is planned for an empty table. */
      async analyze() {
        for (const url of urls.values()) await postgres.run(url, 'ANALYZE')
      },
      close: closeAll,
    }
  } catch (error) {
    await closeAll()
    throw error
  }
}

async function measureCrowd({ millrace, raw, limit, boss, graphile, analyze }: Subjects, logProgress: LogProgress) {
  const turns = {
    millraceEnqueue: millrace.enqueue,
    rawEnqueue: raw.enqueue,
    limitEnqueue: limit.enqueue,
    bossEnqueue: boss.enqueue,
    graphileEnqueue: graphile.enqueue,
    millraceLive: millrace.live,
    rawLive: raw.live,
    limitLive: limit.live,
    bossLive: boss.live,
    graphileLive: graphile.live,
    millraceMany: millrace.liveMany,
    bossMany: boss.liveMany,
  } satisfies Record<string, Turn<number>>
  logProgress('one turn per subject, then ANALYZE')
  for (const turn of Object.values(turns)) await turn()
  await analyze()
  logProgress(`${CALLERS} callers, ${ROUNDS.warmUp} + ${ROUNDS.counted} rounds`)
  return interleave(turns, ROUNDS)
}

/** Milliseconds per call, by round. */
function measureLone({ millrace, raw }: Subjects, logProgress: LogProgress) {
  logProgress(`one caller, ${LONE_ROUNDS.warmUp} + ${LONE_ROUNDS.counted} rounds`)
  return interleave(
    {
      millrace: () => latencies(LONE_MS, () => millrace.enqueueOne()),
      raw: () => latencies(LONE_MS, () => raw.enqueueOne()),
    },
    LONE_ROUNDS,
  )
}

type Rates = readonly number[]

function crowdTable(crowd: Crowd, versions: Subjects['versions'], facts: string): Table {
  const row = (name: string, millrace: Rates, others: readonly (Rates | null)[]) => [
    name,
    figure(median(millrace)),
    ...others.map((rates) => (rates ? figure(median(rates)) : '')),
    ...others.map((rates) => (rates ? times(ratio(millrace, rates)) : '')),
  ]
  const { rawEnqueue, limitEnqueue, bossEnqueue, graphileEnqueue, rawLive, limitLive, bossLive, graphileLive } = crowd
  return {
    title: `PostgreSQL: ${CALLERS} callers, ${PAYLOAD_BYTES}-byte payloads, every commit fsynced, jobs/s, and Millrace ÷ each`,
    head: [
      ...['', 'Millrace', 'raw', 'batched limit', 'pg-boss', 'graphile-worker'],
      ...['÷ raw', '÷ limit', '÷ pg-boss', '÷ graphile'],
    ],
    rows: [
      row('enqueue', crowd.millraceEnqueue, [rawEnqueue, limitEnqueue, bossEnqueue, graphileEnqueue]),
      row('enqueue → claim → complete', crowd.millraceLive, [rawLive, limitLive, bossLive, graphileLive]),
      row(`… taken and completed ${CALLERS} at a time`, crowd.millraceMany, [null, null, crowd.bossMany, null]),
    ],
    notes: [
      facts,
      `raw: ${CALLERS} connections of Node's pg, one prepared statement per transaction; batched limit: one connection, ${CALLERS} rows per statement`,
      `pg-boss ${versions.pgBoss}: a pool of ${CALLERS}, else defaults; graphile-worker ${versions.graphileWorker}: pools of ${CALLERS}, concurrency ${CALLERS}, no log, else defaults`,
      `Millrace: one engine, all defaults; medians of ${ROUNDS.counted} interleaved rounds`,
    ],
  }
}

function loneTable({ millrace, raw }: Lone): Table {
  const row = (name: string, rounds: readonly (readonly number[])[]) => [
    name,
    figure(median(rounds.flat())),
    figure(percentile(rounds.flat(), 0.99)),
  ]
  return {
    title: 'PostgreSQL: one caller, one enqueue at a time, ms',
    head: ['', 'p50', 'p99'],
    rows: [row('Millrace', millrace), row('raw INSERT', raw)],
    notes: [
      `Millrace / raw, p50: ${times(ratio(millrace.map(median), raw.map(median)))}, lower is better`,
      `all calls of ${LONE_ROUNDS.counted} interleaved rounds`,
    ],
  }
}
