/** Pickup latency: from the enqueue call to the response of a waiting claim. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Engine, openEngine } from '../../server/index.ts'
import { median, percentile } from '../harness/measure.ts'
import type { Part } from '../harness/part.ts'
import { payloadOf } from '../harness/payload-of.ts'
import { figure } from '../harness/table.ts'

const WARM_UP = 20
const SAMPLES = 500
const WAIT_MS = 30_000
/** Long enough for the queue to be idle, and uneven, so that samples are spread between two polls. */
const PAUSE_MS = { min: 5, spread: 10 }

interface Latencies {
  /** Until the claim returned, in milliseconds. */
  readonly pickup: number[]
  /** Until the enqueue returned. */
  readonly enqueue: number[]
}

export const pickup: Part = async (folder, logProgress) => {
  const one = await openEngine({ url: `sqlite:${join(folder, 'one.db')}` })
  const shared = `sqlite:${join(folder, 'shared.db')}`
  const producer = await openEngine({ url: shared })
  const consumer = await openEngine({ url: shared })
  try {
    logProgress(`${SAMPLES} jobs through one engine`)
    const sameEngine = await sample(one, one)
    logProgress(`${SAMPLES} jobs from one engine to another`)
    const twoEngines = await sample(producer, consumer)
    const row = (name: string, { pickup: times, enqueue }: Latencies) => [
      name,
      ...[median(times), percentile(times, 0.99), Math.max(...times), median(enqueue)].map(figure),
    ]
    return {
      tables: [
        {
          title: `Pickup: from calling enqueue to the response of a waiting claim, ${SAMPLES} jobs one at a time, ms`,
          head: ['', 'p50', 'p99', 'max', 'enqueue answered, p50'],
          rows: [row('one engine', sameEngine), row('two engines on one file', twoEngines)],
        },
      ],
      results: { samples: SAMPLES, sameEngine, twoEngines },
    }
  } finally {
    await Promise.all([one.close(), producer.close(), consumer.close()])
  }
}

async function sample(producer: Engine, consumer: Engine): Promise<Latencies> {
  const latencies: Latencies = { pickup: [], enqueue: [] }
  const payload = payloadOf(200)
  for (let i = 0; i < WARM_UP + SAMPLES; i++) {
    const claim = consumer.claim({ worker: 'worker', types: ['pickup'], waitMs: WAIT_MS })
    await sleep(PAUSE_MS.min + Math.random() * PAUSE_MS.spread)
    const startedAt = performance.now()
    const since = () => performance.now() - startedAt
    const [enqueueMs, { jobs, pickupMs }] = await Promise.all([
      producer.enqueue({ type: 'pickup', payload }).then(since),
      claim.then((jobs) => ({ jobs, pickupMs: since() })),
    ])
    const [job] = jobs
    if (!job) throw new Error(`A waiting claim returned no job after ${Math.round(pickupMs)} ms.`)
    await consumer.complete({ id: job.id, version: job.version })
    if (i < WARM_UP) continue
    latencies.pickup.push(pickupMs)
    latencies.enqueue.push(enqueueMs)
  }
  return latencies
}
