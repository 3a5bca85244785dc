/** pg-boss with one connection per caller and otherwise default settings. */
import { RESULT } from '../callers.ts'
import { callsPerSecond } from '../turn.ts'
import { callable, loadPeer } from './peers.ts'
import { CALLERS, PAYLOAD, producedAndConsumed, TURN_MS, type Work } from './subject.ts'

/**
 * On a busy machine with two cores, median of 5 rounds in jobs/s, one by one and 50 at a time: a pool of 10 with one consumer
 * 297 and 684, of 20 with four 314 and 869, of 50 with two 377 and 1,026.
 */
const POOL = CALLERS
const CONSUMERS = 2

/** The part of its API that is used. */
interface Boss {
  on(event: 'error', listener: (error: Error) => void): unknown
  start(): Promise<unknown>
  stop(options: { readonly graceful: boolean }): Promise<void>
  createQueue(name: string): Promise<void>
  send(name: string, data: object): Promise<string | null>
  fetch(name: string, options?: { readonly batchSize: number }): Promise<readonly { readonly id: string }[]>
  complete(name: string, id: string | readonly string[], data?: object): Promise<{ readonly affected: number }>
}

/** Connections stay open between turns, as for all subjects. */
interface BossOptions {
  readonly connectionString: string
  readonly max: number
  readonly idleTimeoutMillis: number
}

export interface PgBoss {
  readonly version: string
  readonly enqueue: Work
  readonly live: Work
  readonly liveMany: Work
  close(): Promise<void>
}

export async function openPgBoss(url: string, onError: (error: Error) => void): Promise<PgBoss> {
  const { exports, version } = loadPeer('pg-boss')
  const Boss = callable<new (options: BossOptions) => Boss>().parse(exports)
  const boss = new Boss({ connectionString: url, max: POOL, idleTimeoutMillis: 0 })
  boss.on('error', onError)
  await boss.start()
  // Each queue has its own table, so leftovers of one turn do not affect another.
  for (const queue of ['enqueue', 'live', 'many']) await boss.createQueue(queue)
  return {
    version,
    enqueue: () => callsPerSecond(CALLERS, TURN_MS, () => boss.send('enqueue', PAYLOAD)),
    live: () => callsPerSecond(CALLERS, TURN_MS, () => live(boss)),
    liveMany: () => liveMany(boss),
    close: () => boss.stop({ graceful: false }),
  }
}

/** Sends a job, fetches the next one and completes it. */
async function live(boss: Boss): Promise<void> {
  await boss.send('live', PAYLOAD)
  for (;;) {
    const [job] = await boss.fetch('live')
    if (job) return expectAffected(1, await boss.complete('live', job.id, RESULT))
  }
}

function liveMany(boss: Boss): Promise<number> {
  return producedAndConsumed(
    () => boss.send('many', PAYLOAD),
    CONSUMERS,
    async () => {
      const ids = (await boss.fetch('many', { batchSize: CALLERS })).map(({ id }) => id)
      if (ids.length > 0) expectAffected(ids.length, await boss.complete('many', ids))
      return ids.length
    },
  )
}

function expectAffected(jobs: number, { affected }: { readonly affected: number }): void {
  if (affected !== jobs) throw new Error(`pg-boss completed ${affected} of ${jobs} jobs.`)
}
