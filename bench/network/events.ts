/** Cost of open event streams: the same callers with 0, 50 and 200 streams. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { elapsedMs, interleave, median, percentile, ratio } from '../harness/measure.ts'
import type { Part } from '../harness/part.ts'
import { payloadOf } from '../harness/payload-of.ts'
import { SERVER, type ServerChild, startChild } from '../harness/server-child.ts'
import { figure, type Table, times } from '../harness/table.ts'
import { callFor } from '../harness/turn.ts'
import type { ReadersOrder, ReadersReport } from './event-readers.ts'
import { connect, type Remote } from './remote.ts'

const STREAMS = [0, 50, 200] as const
const ROUNDS = { warmUp: 1, counted: 9 }
/** Fixed length of a turn; about 50 seconds in total. */
const TURN_MS = 1_500
const CALLERS = 32
const TYPE = 'events'
const PAYLOAD = payloadOf(200)

interface Figures {
  readonly livesPerSecond: number
  readonly claimP99Ms: number
  readonly cpuMicrosPerLife: number
  readonly lagP99Ms: number
  readonly framesPerSecond: number
  readonly megabytesPerSecond: number
}

export const events: Part = async (folder, logProgress) => {
  const server = await startChild(SERVER, folder, { DB_PATH: join(folder, 'queue.db'), PORT: '0' })
  const readers = fork(fileURLToPath(new URL('./event-readers.js', import.meta.url)))
  try {
    logProgress(`${ROUNDS.warmUp} + ${ROUNDS.counted} rounds of ${CALLERS} callers`)
    const { batched } = connect(server.url)
    const turns = Object.fromEntries(STREAMS.map((open) => [String(open), () => turn(server, batched, readers, open)]))
    const rounds = await interleave(turns, ROUNDS)
    return {
      tables: [table(rounds)],
      results: { callers: CALLERS, payload: PAYLOAD, turnMs: TURN_MS, streams: rounds },
    }
  } finally {
    readers.disconnect()
    await server.stop()
  }
}

async function turn(server: ServerChild, remote: Remote, readers: ChildProcess, open: number): Promise<Figures> {
  await order(readers, { open, url: server.url })
  const before = await scrape(server)
  const claims: number[] = []
  let lives = 0
  const ms = await elapsedMs(async () => {
    lives = await callFor(CALLERS, TURN_MS, (caller) => live(remote, caller, claims))
  })
  const after = await scrape(server)
  const read = await order(readers, { close: true })
  return {
    livesPerSecond: (lives / ms) * 1_000,
    claimP99Ms: percentile(claims, 0.99),
    cpuMicrosPerLife: ((after.cpuSeconds - before.cpuSeconds) * 1e6) / lives,
    lagP99Ms: after.lagP99Seconds * 1_000,
    framesPerSecond: (read.frames / ms) * 1_000,
    megabytesPerSecond: read.bytes / ms / 1_000,
  }
}

async function live(remote: Remote, caller: number, claims: number[]): Promise<void> {
  await remote.enqueue.mutate({ type: TYPE, payload: PAYLOAD })
  const startedAt = performance.now()
  const [job] = await remote.claim.mutate({ worker: `worker-${caller}`, types: [TYPE] })
  claims.push(performance.now() - startedAt)
  if (!job) throw new Error(`No ${TYPE} job left to claim; the benchmark needs one for every claim.`)
  await remote.complete.mutate({ id: job.id, version: job.version, result: { ok: true } })
}

async function order(readers: ChildProcess, what: ReadersOrder): Promise<ReadersReport> {
  readers.send(what)
  const [report] = await once(readers, 'message')
  return report as ReadersReport
}

async function scrape({ url }: ServerChild): Promise<{ cpuSeconds: number; lagP99Seconds: number }> {
  const text = await (await fetch(new URL('/metrics', url))).text()
  const value = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
  return { cpuSeconds: value('process_cpu_seconds_total'), lagP99Seconds: value('nodejs_eventloop_lag_p99_seconds') }
}

function table(rounds: Readonly<Record<string, readonly Figures[]>>): Table {
  const of = (open: number, key: keyof Figures) => (rounds[String(open)] ?? []).map((figures) => figures[key])
  const cells = (open: number, key: keyof Figures) => [
    figure(median(of(open, key))),
    open === 0 ? '' : times(ratio(of(open, key), of(0, key))),
  ]
  return {
    title: `Event streams: ${CALLERS} callers, enqueue → claim → complete over HTTP, with streams that receive every frame`,
    head: ['open', 'jobs/s', '', 'claim p99, ms', '', 'server CPU, µs/job', '', 'loop lag p99, ms', 'frames/s', 'MB/s'],
    rows: STREAMS.map((open) => [
      `${open} streams`,
      ...cells(open, 'livesPerSecond'),
      ...cells(open, 'claimP99Ms'),
      ...cells(open, 'cpuMicrosPerLife'),
      figure(median(of(open, 'lagP99Ms'))),
      figure(median(of(open, 'framesPerSecond'))),
      figure(median(of(open, 'megabytesPerSecond'))),
    ]),
    notes: [
      'ratios to no streams: for jobs/s higher is better, for the others lower',
      'readers and callers are separate processes on the same machine: jobs/s and p99 include their CPU use, the server CPU does not',
      `medians of ${ROUNDS.counted} interleaved rounds of ${TURN_MS / 1_000} s`,
    ],
  }
}
