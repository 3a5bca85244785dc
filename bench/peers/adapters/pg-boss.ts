/** pg-boss with LISTEN/NOTIFY and batches, and as it is by default: a worker polls every two seconds for one job. */
import { z } from 'zod'
import { callable, loadPeer } from '../load.ts'
import { type Adapter, Countdown, LANES, type Session } from '../system.ts'

interface Job {
  readonly id: string
}

interface WorkOptions {
  readonly batchSize?: number
  readonly burstWhenBatchFull?: boolean
  readonly localConcurrency?: number
}

interface QueueOptions {
  readonly notify?: boolean
  readonly partition?: boolean
}

/** The part of its API that is used. */
interface Boss {
  on(event: 'error', listener: (error: Error) => void): unknown
  start(): Promise<unknown>
  stop(options: { readonly graceful: boolean }): Promise<void>
  createQueue(name: string, options: QueueOptions): Promise<void>
  send(name: string, data: object): Promise<string | null>
  insert(name: string, jobs: readonly { readonly data: object }[]): Promise<unknown>
  work(name: string, options: WorkOptions, handler: (jobs: readonly Job[]) => Promise<void>): Promise<string>
  offWork(name: string, options: { readonly wait: boolean }): Promise<void>
  getDb(): { executeSql(text: string, values: readonly unknown[]): Promise<{ readonly rows: readonly unknown[] }> }
}

interface BossOptions {
  readonly connectionString: string
  readonly max?: number
  readonly useListenNotify?: boolean
}

interface Setting {
  readonly boss: Omit<BossOptions, 'connectionString'>
  readonly queue: QueueOptions
  readonly work: (concurrency: number) => WorkOptions
  readonly slotRate?: number
}

const peer = z.object({ PgBoss: callable<new (options: BossOptions) => Boss>() })
const counted = z.tuple([z.object({ left: z.coerce.number() })])

/** One for every caller. */
const CONNECTIONS = 64
/** A worker whose batches have one job does not fetch again before the next notification. */
const LEAST_BATCH = 2

const TUNED: Setting = {
  boss: { max: CONNECTIONS, useListenNotify: true },
  queue: { notify: true, partition: true },
  work: (concurrency) => ({ batchSize: Math.max(concurrency, LEAST_BATCH), burstWhenBatchFull: true }),
}

/** A slot takes one job every two seconds. */
const DEFAULT: Setting = {
  boss: {},
  queue: {},
  work: (localConcurrency) => ({ localConcurrency }),
  slotRate: 0.5,
}

export const openPgBoss: Adapter = (address, payload) => open(address, payload, TUNED)

export const openPgBossDefault: Adapter = (address, payload) => open(address, payload, DEFAULT)

async function open(address: string, payload: object, setting: Setting): Promise<Session> {
  const { PgBoss } = peer.parse(await loadPeer('pg-boss'))
  const boss = new PgBoss({ connectionString: address, ...setting.boss })
  boss.on('error', (error) => process.stderr.write(`pg-boss: ${error}\n`))
  await boss.start()
  for (const lane of LANES) await boss.createQueue(lane, setting.queue)
  return {
    ...(setting.slotRate === undefined ? {} : { slotRate: setting.slotRate }),
    enqueue: (lane) => boss.send(lane, payload),
    enqueueMany: (lane, jobs) =>
      boss.insert(
        lane,
        Array.from({ length: jobs }, () => ({ data: payload })),
      ),
    async work(concurrency, handle) {
      const handled = new Countdown()
      await boss.work('work', setting.work(concurrency), async (jobs) => {
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
