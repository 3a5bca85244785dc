/** pg-boss with LISTEN/NOTIFY; its worker fetches and completes one batch after the other. */
import { z } from 'zod'
import { callable, loadPeer } from '../load.ts'
import { type Adapter, Countdown, LANES } from '../system.ts'

interface Job {
  readonly id: string
}

interface WorkOptions {
  readonly batchSize: number
  readonly burstWhenBatchFull: boolean
}

/** The part of its API that is used. */
interface Boss {
  on(event: 'error', listener: (error: Error) => void): unknown
  start(): Promise<unknown>
  stop(options: { readonly graceful: boolean }): Promise<void>
  createQueue(name: string, options: { readonly notify: boolean; readonly partition: boolean }): Promise<void>
  send(name: string, data: object): Promise<string | null>
  insert(name: string, jobs: readonly { readonly data: object }[]): Promise<unknown>
  work(name: string, options: WorkOptions, handler: (jobs: readonly Job[]) => Promise<void>): Promise<string>
  offWork(name: string, options: { readonly wait: boolean }): Promise<void>
  getDb(): { executeSql(text: string, values: readonly unknown[]): Promise<{ readonly rows: readonly unknown[] }> }
}

interface BossOptions {
  readonly connectionString: string
  readonly max: number
  readonly useListenNotify: boolean
}

const peer = z.object({ PgBoss: callable<new (options: BossOptions) => Boss>() })
const counted = z.tuple([z.object({ left: z.coerce.number() })])

const CONNECTIONS = 50
/** A worker whose batches have one job does not fetch again before the next notification. */
const LEAST_BATCH = 2

export const openPgBoss: Adapter = async (address, payload) => {
  const { PgBoss } = peer.parse(await loadPeer('pg-boss'))
  const boss = new PgBoss({ connectionString: address, max: CONNECTIONS, useListenNotify: true })
  boss.on('error', (error) => process.stderr.write(`pg-boss: ${error}\n`))
  await boss.start()
  for (const lane of LANES) await boss.createQueue(lane, { notify: true, partition: true })
  return {
    enqueue: (lane) => boss.send(lane, payload),
    enqueueMany: (lane, jobs) =>
      boss.insert(
        lane,
        Array.from({ length: jobs }, () => ({ data: payload })),
      ),
    async work(concurrency, handle) {
      const handled = new Countdown()
      const options = { batchSize: Math.max(concurrency, LEAST_BATCH), burstWhenBatchFull: true }
      await boss.work('work', options, async (jobs) => {
        for (const { id } of jobs) handle(id)
        handled.add(jobs.length)
      })
      // Ends after the batch at hand is completed; there is no event for that.
      const stop = () => boss.offWork('work', { wait: true })
      return { finished: (jobs) => handled.reached(jobs).then(stop), stop }
    },
    async left(lane) {
      const sql = `SELECT count(*) AS left FROM pgboss.job WHERE name = $1 AND state <> 'completed'`
      const { rows } = await boss.getDb().executeSql(sql, [lane])
      return counted.parse(rows)[0].left
    },
    close: () => boss.stop({ graceful: false }),
  }
}
