/** Loads of the cost benchmark: jobs that pass, jobs that wait, workers that wait. */
import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTRPCClient, httpLink } from '@trpc/client'
import { type AppRouter, openQueue, startWorker } from '../../server/index.ts'
import { payloadOf } from '../harness/payload-of.ts'

const TYPE = 'cost'
const PAYLOAD = payloadOf(200)
const BATCH = 1_000
/** Jobs that wait at most while jobs pass. */
const LOT = 10_000
const CONCURRENCY = 50
/** The maximum; memory is read long before it is over. */
const WAIT_MS = 30_000
/** Time limit of a load: a million jobs need 2,100 a second. */
export const MAX_MS = 480_000
/** Time limit for all claims to arrive. */
const ARRIVE_MS = 25_000
const ASK_AGAIN_MS = 50

/** The API is below `/trpc`; `openQueue` expects the address of the server. */
function addressOf(url: string): string {
  return url.replace(/\/trpc$/, '')
}

/** Enqueues and runs jobs; returns how many, fewer than asked when the time is over. */
export async function passJobs(url: string, jobs: number): Promise<number> {
  const queue = await openQueue(addressOf(url))
  const worker = startWorker(queue, { [TYPE]: () => ({ ok: true }) }, { concurrency: CONCURRENCY })
  let done = 0
  let expected = Number.POSITIVE_INFINITY
  let resolve = () => {}
  worker.events.on('success', () => {
    done += 1
    if (done >= expected) resolve()
  })
  try {
    const endsAt = performance.now() + MAX_MS
    for (let passed = 0; passed < jobs && performance.now() < endsAt; passed = done) {
      const lot = Math.min(LOT, jobs - passed)
      const finished = new Promise<void>((resolved) => {
        resolve = resolved
      })
      expected = passed + lot
      await enqueue(queue, lot)
      if (done < expected) await finished
    }
    return done
  } finally {
    await worker.stop()
    await queue.close()
  }
}

/** Enqueues jobs without a worker; returns how many. */
export async function leaveWaiting(url: string, jobs: number): Promise<number> {
  const queue = await openQueue(addressOf(url))
  try {
    const endsAt = performance.now() + MAX_MS
    let enqueued = 0
    while (enqueued < jobs && performance.now() < endsAt) {
      const lot = Math.min(LOT, jobs - enqueued)
      await enqueue(queue, lot)
      enqueued += lot
    }
    return enqueued
  } finally {
    await queue.close()
  }
}

async function enqueue(queue: Awaited<ReturnType<typeof openQueue>>, jobs: number): Promise<void> {
  for (let left = jobs; left > 0; left -= BATCH) {
    const length = Math.min(BATCH, left)
    await queue.enqueueMany({ jobs: Array.from({ length }, () => ({ type: TYPE, payload: PAYLOAD })) })
  }
}

export interface WaitingWorkers {
  /** Resolves when the server has a waiting claim of each of them; throws if it does not in time. */
  arrived(): Promise<void>
  /** Throws if one of them had stopped waiting before. */
  leave(): Promise<void>
}

/** One connection with a waiting claim per worker, as from as many processes. */
export function letWorkersWait(url: string, workers: number): WaitingWorkers {
  const remote = createTRPCClient<AppRouter>({ links: [httpLink({ url })] })
  const leaving = new AbortController()
  // Each call adds some.
  setMaxListeners(0, leaving.signal)
  const early: unknown[] = []
  const wait = async (_: unknown, n: number) => {
    const claim = { worker: `waiting-${n}`, types: ['nothing'], waitMs: WAIT_MS }
    const end = await remote.claim.mutate(claim, { signal: leaving.signal }).catch((error) => error)
    if (!leaving.signal.aborted) early.push(end)
  }
  const claims = Array.from({ length: workers }, wait)
  return {
    async arrived() {
      const endsAt = performance.now() + ARRIVE_MS
      for (;;) {
        const waiting = await waitingClaims(url)
        if (waiting === workers) return
        if (performance.now() > endsAt) throw new Error(`${waiting} of ${workers} claims wait at the server.`)
        await sleep(ASK_AGAIN_MS)
      }
    },
    async leave() {
      leaving.abort()
      await Promise.all(claims)
      if (early.length > 0) throw new Error(`${early.length} of ${workers} claims did not wait.`, { cause: early[0] })
    },
  }
}

/** As the server counts them in its metrics. */
async function waitingClaims(url: string): Promise<number> {
  const text = await (await fetch(`${addressOf(url)}/metrics`)).text()
  return Number(/^millrace_waiting_claims(?:{.*})? (\d+)$/m.exec(text)?.[1])
}
