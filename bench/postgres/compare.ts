/** Compares Millrace on PostgreSQL with bare SQL; bench:peers compares it with other queues. */
import { interleave, median, percentile, ratio, type Turn } from '../harness/measure.ts'
import type { Part } from '../harness/part.ts'
import { figure, type Table, times } from '../harness/table.ts'
import { latencies } from '../harness/turn.ts'
import { openLimit, openRaw } from './bare.ts'
import { openMillrace } from './millrace.ts'
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
      return {
        tables: [crowdTable(crowd, postgres.facts), loneTable(lone)],
        results: {
          ...{ callers: CALLERS, payloadBytes: PAYLOAD_BYTES, postgres: postgres.facts },
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
    for (const name of ['millrace', 'raw', 'limit']) {
      urls.set(name, await postgres.create(name))
    }
    const urlOf = (name: string) => urls.get(name) ?? ''
    const millrace = opened(await openMillrace(urlOf('millrace')))
    const raw = opened(await openRaw(urlOf('raw')))
    const limit = opened(await openLimit(urlOf('limit')))
    return {
      ...{ millrace, raw, limit },
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

async function measureCrowd({ millrace, raw, limit, analyze }: Subjects, logProgress: LogProgress) {
  const turns = {
    millraceEnqueue: millrace.enqueue,
    rawEnqueue: raw.enqueue,
    limitEnqueue: limit.enqueue,
    millraceLive: millrace.live,
    rawLive: raw.live,
    limitLive: limit.live,
    millraceMany: millrace.liveMany,
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

function crowdTable({ millraceEnqueue, millraceLive, millraceMany, ...bare }: Crowd, facts: string): Table {
  type Rates = readonly number[]
  const row = (name: string, millrace: Rates, others: readonly Rates[]) => [
    name,
    ...[millrace, ...others].map((rates) => figure(median(rates))),
    ...others.map((rates) => times(ratio(millrace, rates))),
  ]
  return {
    title: `PostgreSQL: ${CALLERS} callers, ${PAYLOAD_BYTES}-byte payloads, every commit fsynced, jobs/s, and Millrace ÷ each`,
    head: ['', 'Millrace', 'raw', 'batched limit', '÷ raw', '÷ limit'],
    rows: [
      row('enqueue', millraceEnqueue, [bare.rawEnqueue, bare.limitEnqueue]),
      row('enqueue → claim → complete', millraceLive, [bare.rawLive, bare.limitLive]),
      row(`… taken and completed ${CALLERS} at a time`, millraceMany, []),
    ],
    notes: [
      facts,
      `raw: ${CALLERS} connections of Node's pg, one prepared statement per transaction; batched limit: one connection, ${CALLERS} rows per statement`,
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
