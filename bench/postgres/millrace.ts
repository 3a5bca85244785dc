/** Millrace on PostgreSQL: one engine with defaults, opened through the package entry. */
import { type ClaimedJob, type Engine, openEngine } from '../../server/index.ts'
import { RESULT } from '../engine/callers.ts'
import { callsPerSecond } from '../harness/turn.ts'
import { CALLERS, PAYLOAD, producedAndConsumed, TURN_MS, type Work } from './subject.ts'

const CONSUMERS = 2

export interface Millrace {
  readonly enqueue: Work
  readonly live: Work
  readonly liveMany: Work
  enqueueOne(): Promise<unknown>
  close(): Promise<void>
}

export async function openMillrace(url: string): Promise<Millrace> {
  const engine = await openEngine({ url })
  return {
    enqueue: () => callsPerSecond(CALLERS, TURN_MS, () => engine.enqueue({ type: 'enqueue', payload: PAYLOAD })),
    live: () => callsPerSecond(CALLERS, TURN_MS, (caller) => live(engine, `worker-${caller}`)),
    liveMany: () => liveMany(engine),
    enqueueOne: () => engine.enqueue({ type: 'enqueue', payload: PAYLOAD }),
    close: () => engine.close(),
  }
}

/** Enqueues a job, claims the next one and completes it. */
async function live(engine: Engine, worker: string): Promise<void> {
  await engine.enqueue({ type: 'live', payload: PAYLOAD })
  for (;;) {
    const [job] = await engine.claim({ worker, types: ['live'] })
    if (job) return void (await engine.complete({ id: job.id, version: job.version, result: RESULT }))
  }
}

/** Consumers report outcomes and claim the next jobs in one call. */
function liveMany(engine: Engine): Promise<number> {
  const held: (readonly ClaimedJob[])[] = Array.from({ length: CONSUMERS }, () => [])
  return producedAndConsumed(
    () => engine.enqueue({ type: 'many', payload: PAYLOAD }),
    CONSUMERS,
    async (consumer) => {
      const done = held[consumer] ?? []
      const { settled, jobs } = await engine.exchange({
        worker: `worker-${consumer}`,
        settle: done.map(({ id, version }) => ({ kind: 'complete', id, version, result: RESULT })),
        claim: { types: ['many'], limit: CALLERS },
      })
      if (settled.some(({ ok }) => !ok)) throw new Error('A claimed job could not be completed.')
      held[consumer] = jobs
      return settled.length
    },
  )
}
