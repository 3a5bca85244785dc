/** Throughput and start latency of workers with an empty handler, in process and over HTTP. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openQueue, type Queue, startWorker } from '../../server/index.ts'
import { elapsedMs, interleave, median, percentile, ratio } from '../harness/measure.ts'
import type { Part } from '../harness/part.ts'
import { payloadOf } from '../harness/payload-of.ts'
import { SERVER, startChild } from '../harness/server-child.ts'
import { figure, times } from '../harness/table.ts'
import { type Limit, openLimit } from './limit.ts'

const CONCURRENCIES = [1, 10, 50] as const
const ROUNDS = { warmUp: 1, counted: 5 }
/** Enough for turns of about one second. */
const JOBS = { 1: 600, 10: 3_000, 50: 6_000 } as const
const TYPE = 'nothing'
const PICKUPS = { warmUp: 10, counted: 200 }

type Concurrency = (typeof CONCURRENCIES)[number]

export const workers: Part = async (folder, logProgress) => {
  const server = await startChild(SERVER, folder, { PORT: '0', DB_PATH: join(folder, 'server.db') })
  const local = await openQueue(`sqlite:${join(folder, 'local.db')}`)
  const remote = await openQueue(server.url.replace(/\/trpc$/, ''))
  const limit = openLimit(join(folder, 'limit.db'))
  try {
    const rows: string[][] = []
    const figures: Record<string, unknown> = {}
    for (const concurrency of CONCURRENCIES) {
      logProgress(`concurrency ${concurrency}, ${ROUNDS.warmUp} + ${ROUNDS.counted} rounds`)
      const measured = await interleave(
        {
          local: () => drain(local, concurrency),
          remote: () => drain(remote, concurrency),
          limit: () => drainBare(limit, concurrency),
        },
        ROUNDS,
      )
      figures[concurrency] = measured
      rows.push([
        `${concurrency}`,
        ...[measured.local, measured.remote, measured.limit].map((of) => figure(median(of))),
        ...[measured.local, measured.remote].map((of) => times(ratio(of, measured.limit))),
      ])
    }
    logProgress(`${PICKUPS.counted} jobs one at a time`)
    const pickups = { 'in process': await pickUp(local), 'over HTTP': await pickUp(remote) }
    return {
      tables: [
        {
          title: 'Workers: jobs that do nothing, 200-byte payloads, every commit fsynced, jobs/s by concurrency',
          head: ['at once', 'in process', 'over HTTP', 'bare limit', 'in process / limit', 'HTTP / limit'],
          rows,
          notes: [
            `medians of ${ROUNDS.counted} interleaved rounds; bare limit: as many claimed and completed per transaction`,
          ],
        },
        {
          title: `Workers: from calling enqueue to the first line of the handler, ${PICKUPS.counted} jobs one at a time, ms`,
          head: ['', 'p50', 'p99'],
          rows: Object.entries(pickups).map(([name, of]) => [name, ...[median(of), percentile(of, 0.99)].map(figure)]),
        },
      ],
      results: { figures, pickups },
    }
  } finally {
    await Promise.all([local.close(), remote.close()])
    limit.close()
    await server.stop()
  }
}

/** Jobs per second from the first claim to the last outcome. */
async function drain(queue: Queue, concurrency: Concurrency): Promise<number> {
  const jobs = JOBS[concurrency]
  const payload = payloadOf(200)
  for (let from = 0; from < jobs; from += 500) {
    const some = Array.from({ length: Math.min(500, jobs - from) }, () => ({ type: TYPE, payload }))
    await queue.enqueueMany({ jobs: some })
  }
  let left = jobs
  const ms = await elapsedMs(async () => {
    const worker = startWorker(queue, { [TYPE]: () => ({ ok: true }) }, { concurrency })
    await new Promise<void>((resolve) => {
      worker.events.on('success', () => {
        left -= 1
        if (left === 0) resolve()
      })
    })
    await worker.stop({ graceMs: 0 })
  })
  return (jobs / ms) * 1_000
}

async function drainBare(limit: Limit, concurrency: Concurrency): Promise<number> {
  const jobs = JOBS[concurrency]
  limit.enqueue(TYPE, JSON.stringify(payloadOf(200)), limit.makeIds(jobs), 500)
  return (jobs / (await elapsedMs(() => limit.drain(TYPE, jobs, concurrency)))) * 1_000
}

async function pickUp(queue: Queue): Promise<number[]> {
  const figures: number[] = []
  let began: () => void = () => {}
  const worker = startWorker(queue, { pickup: () => began() }, { concurrency: 10 })
  for (let i = 0; i < PICKUPS.warmUp + PICKUPS.counted; i++) {
    await sleep(5 + Math.random() * 10)
    const ms = await elapsedMs(async () => {
      const begun = new Promise<void>((resolve) => {
        began = resolve
      })
      await queue.enqueue({ type: 'pickup', payload: payloadOf(200) })
      await begun
    })
    if (i >= PICKUPS.warmUp) figures.push(ms)
  }
  await worker.stop({ graceMs: 0 })
  return figures
}
