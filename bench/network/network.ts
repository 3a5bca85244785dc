/** Compares the server over HTTP with a plain echo server. */
import { join } from 'node:path'
import { CALLERS } from '../engine/callers.ts'
import { fsyncMicros } from '../harness/fsync.ts'
import { interleave, median, percentile, ratio } from '../harness/measure.ts'
import type { Part } from '../harness/part.ts'
import { payloadOf } from '../harness/payload-of.ts'
import { SERVER, startChild } from '../harness/server-child.ts'
import { figure, type Table, times } from '../harness/table.ts'
import { callsPerSecond, latencies } from '../harness/turn.ts'
import { directCpuTable, directTable, directTargets, measureDirect } from './direct.ts'
import { batchOf, connect, echo, echoAll, inputsOfLife, liveRemotely, type Remote } from './remote.ts'

const ROUNDS = { warmUp: 3, counted: 11 }
/** Fixed length of a turn; about a minute in total. */
const TURN_MS = { crowd: 400, lone: 250 }
const DIRECT = { rounds: ROUNDS, turnMs: TURN_MS.lone }
const PAYLOAD = payloadOf(200)
const TYPE = 'network'
const CALLS_PER_LIFE = 3
const FSYNCS = 100

export const network: Part = async (folder, logProgress) => {
  const server = await startChild(SERVER, folder, { DB_PATH: join(folder, 'queue.db'), PORT: '0' })
  try {
    const bare = await startChild(new URL('./echo-server.js', import.meta.url), folder)
    try {
      const { batched, single } = connect(server.url)
      logProgress(`${ROUNDS.warmUp} + ${ROUNDS.counted} rounds of ${CALLERS} callers`)
      const crowd = await measureCrowd(batched, single, bare.url)
      logProgress(`${ROUNDS.warmUp} + ${ROUNDS.counted} rounds of one caller`)
      const lone = await measureLone(single, bare.url)
      const fsync = fsyncMicros(folder, FSYNCS)
      logProgress(`${ROUNDS.warmUp} + ${ROUNDS.counted} rounds of one caller with and without the direct handler`)
      const direct = await measureDirect(folder, DIRECT)
      const results = { livesPerSecond: crowd, loneMs: lone, fsyncMicros: fsync, loneCalls: direct }
      return {
        tables: [
          ...[crowdTable(crowd), loneTable(lone, fsync)],
          ...[directTable(direct, DIRECT), directCpuTable(direct), directTargets(direct)],
        ],
        results: { callers: CALLERS, payload: PAYLOAD, ...results },
      }
    } finally {
      await bare.stop()
    }
  } finally {
    await server.stop()
  }
}

/** Jobs per second in each round. */
async function measureCrowd(batched: Remote, single: Remote, echoUrl: string) {
  const { id } = await single.enqueue.mutate({ type: 'sample', payload: PAYLOAD })
  const inputs = inputsOfLife(TYPE, PAYLOAD, id)
  const batches = inputs.map((input) => batchOf(input, CALLERS))
  return interleave(
    {
      batched: () => callsPerSecond(CALLERS, TURN_MS.crowd, (caller) => liveRemotely(batched, TYPE, PAYLOAD, caller)),
      // Callers in lockstep share one request, so one caller sends the calls of all.
      batchedEcho: async () => CALLERS * (await callsPerSecond(1, TURN_MS.crowd, () => echoAll(echoUrl, batches))),
      single: () => callsPerSecond(CALLERS, TURN_MS.crowd, (caller) => liveRemotely(single, TYPE, PAYLOAD, caller)),
      singleEcho: () => callsPerSecond(CALLERS, TURN_MS.crowd, () => echoAll(echoUrl, inputs)),
    },
    ROUNDS,
  )
}

/** Milliseconds per call, by round. */
async function measureLone(single: Remote, echoUrl: string) {
  const job = { type: 'lone', payload: PAYLOAD }
  const { id } = await single.enqueue.mutate(job)
  return interleave(
    {
      enqueue: () => latencies(TURN_MS.lone, () => single.enqueue.mutate(job)),
      enqueueEcho: () => latencies(TURN_MS.lone, () => echo(echoUrl, job)),
      get: () => latencies(TURN_MS.lone, () => single.get.query({ id })),
      getEcho: () => latencies(TURN_MS.lone, () => echo(echoUrl, { id })),
    },
    ROUNDS,
  )
}

function crowdTable(figures: Awaited<ReturnType<typeof measureCrowd>>): Table {
  const row = (name: string, ours: readonly number[], bare: readonly number[]) => [
    name,
    figure(median(ours)),
    figure(median(ours) * CALLS_PER_LIFE),
    figure(median(bare) * CALLS_PER_LIFE),
    times(ratio(ours, bare)),
  ]
  return {
    title: `Network: ${CALLERS} callers, enqueue → claim → complete over HTTP, every commit fsynced`,
    head: ['', 'jobs/s', 'calls/s', 'echo, calls/s', 'us / echo'],
    rows: [
      row('httpBatchLink: calls share requests', figures.batched, figures.batchedEcho),
      row('httpLink: a request for every call', figures.single, figures.singleEcho),
    ],
    notes: [
      `us / echo: higher is better; httpBatchLink / httpLink: ${times(ratio(figures.batched, figures.single))}`,
      `medians of ${ROUNDS.counted} interleaved rounds`,
    ],
  }
}

function loneTable(figures: Awaited<ReturnType<typeof measureLone>>, fsync: number): Table {
  const row = (name: string, ours: readonly (readonly number[])[], bare: readonly (readonly number[])[]) => [
    name,
    ...[ours, bare].flatMap((rounds) => [median(rounds.flat()), percentile(rounds.flat(), 0.99)]).map(figure),
    times(ratio(ours.map(median), bare.map(median))),
  ]
  return {
    title: 'Network: one caller, one call at a time by httpLink, ms',
    head: ['', 'p50', 'p99', 'echo, p50', 'echo, p99', 'us / echo, p50'],
    rows: [row('enqueue', figures.enqueue, figures.enqueueEcho), row('get', figures.get, figures.getEcho)],
    notes: [
      `us / echo: lower is better; fsync of one page: ${figure(fsync)} µs`,
      `all calls of ${ROUNDS.counted} interleaved rounds`,
    ],
  }
}
