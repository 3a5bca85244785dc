/** graphile-worker as it is by default, and with the batching that its documentation recommends for throughput. */
import { EventEmitter, once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'pg'
import { z } from 'zod'
import { callable, loadPeer } from '../load.ts'
import { type Adapter, Countdown, type Lane } from '../system.ts'

interface Shared {
  readonly pgPool: Pool
  readonly logger: unknown
  readonly schema: string
}

interface Batching {
  readonly localQueue?: { readonly size: number }
  readonly completeJobBatchDelay?: number
  readonly failJobBatchDelay?: number
}

type Task = (payload: unknown, helpers: { readonly job: { readonly id: string } }) => void

interface RunOptions extends Shared {
  readonly concurrency: number
  readonly noHandleSignals: boolean
  readonly events: EventEmitter
  readonly taskList: Readonly<Record<string, Task>>
  readonly preset: { readonly worker: Batching }
}

interface JobSpec {
  readonly identifier: string
  readonly payload: object
}

interface Utils {
  migrate(): Promise<void>
  addJob(task: string, payload: object): Promise<unknown>
  addJobs(jobs: readonly JobSpec[]): Promise<unknown>
  release(): Promise<void>
}

/** The part of its API that is used. */
const peer = z.object({
  Logger: callable<new (factory: () => () => void) => object>(),
  makeWorkerUtils: callable<(options: Shared) => Promise<Utils>>(),
  run: callable<(options: RunOptions) => Promise<{ stop(): Promise<void> }>>(),
})

/** One for every slot of a worker, and the rest for the producers; a default PostgreSQL has 100. */
const WORKER_CONNECTIONS = 52
const PRODUCER_CONNECTIONS = 44
const LEFT_POLL_MS = 2
/** Two schemas: the workers scan the jobs of all tasks, including those of the enqueue turns. */
const SCHEMAS: Readonly<Record<Lane, string>> = { enqueue: 'enqueue_lane', work: 'work_lane' }
/** The configuration on its page about performance. */
const DOCUMENTED_BATCHING: Batching = { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 }

export const openGraphileWorker: Adapter = (address, payload) => open(address, payload, {})

export const openGraphileWorkerBatched: Adapter = (address, payload) => open(address, payload, DOCUMENTED_BATCHING)

async function open(address: string, payload: object, batching: Batching) {
  // Without this it logs a line per job.
  process.env.NO_LOG_SUCCESS = '1'
  const { Logger, makeWorkerUtils, run } = peer.parse(await loadPeer('graphile-worker'))
  const logger = new Logger(() => () => {})
  const producers = openPool(address, PRODUCER_CONNECTIONS)
  const workers = openPool(address, WORKER_CONNECTIONS)
  const lanes: Readonly<Record<Lane, Utils>> = {
    enqueue: await makeWorkerUtils({ pgPool: producers, logger, schema: SCHEMAS.enqueue }),
    work: await makeWorkerUtils({ pgPool: producers, logger, schema: SCHEMAS.work }),
  }
  for (const utils of Object.values(lanes)) await utils.migrate()
  const left = async (lane: Lane) => {
    const { rows } = await producers.query<{ readonly left: string }>(
      `SELECT count(*) AS left FROM ${SCHEMAS[lane]}._private_jobs`,
    )
    return Number(rows[0]?.left)
  }
  return {
    enqueue: (lane: Lane) => lanes[lane].addJob(lane, payload),
    enqueueMany: (lane: Lane, jobs: number) =>
      lanes[lane].addJobs(Array.from({ length: jobs }, () => ({ identifier: lane, payload }))),
    async work(concurrency: number, handle: (id: string) => void) {
      const handled = new Countdown()
      const events = new EventEmitter()
      const listening = once(events, 'pool:listen:success')
      const task: Task = (_, { job }) => {
        handle(job.id)
        handled.add()
      }
      const runner = await run({
        ...{ pgPool: workers, logger, schema: SCHEMAS.work, concurrency, noHandleSignals: true, events },
        ...{ taskList: { work: task }, preset: { worker: batching } },
      })
      await listening
      return {
        // Its event for a finished job is emitted before the job is deleted.
        async finished(jobs: number) {
          await handled.reached(jobs)
          while ((await left('work')) > 0) await sleep(LEFT_POLL_MS)
        },
        stop: () => runner.stop(),
      }
    },
    left,
    async close() {
      await Promise.all(Object.values(lanes).map((utils) => utils.release()))
      await Promise.all([producers.end(), workers.end()])
    },
  }
}

/** Connections stay open between turns. */
function openPool(url: string, max: number): Pool {
  const pool = new Pool({ connectionString: url, max, idleTimeoutMillis: 0 })
  const report = (error: Error) => process.stderr.write(`graphile-worker: ${error}\n`)
  // It requires both.
  pool.on('error', report).on('connect', (client) => client.on('error', report))
  return pool
}
