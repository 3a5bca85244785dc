/** graphile-worker: 50 callers add jobs, a runner with 50 workers runs them; one connection each. */
import { EventEmitter, once } from 'node:events'
import { Pool } from 'pg'
import { z } from 'zod'
import { callFor, callsPerSecond } from '../turn.ts'
import { callable, loadPeer } from './peers.ts'
import { CALLERS, PAYLOAD, TURN_MS, type Work } from './subject.ts'

const TASK = 'live'

interface Shared {
  readonly pgPool: Pool
  readonly logger: unknown
}

interface RunOptions extends Shared {
  readonly concurrency: number
  readonly noHandleSignals: boolean
  readonly events: EventEmitter
  readonly taskList: Readonly<Record<string, () => void>>
}

interface Utils {
  migrate(): Promise<void>
  addJob(task: string, payload: unknown): Promise<unknown>
  release(): Promise<void>
}

/** The part of its API that is used. */
const peer = z.object({
  Logger: callable<new (factory: () => () => void) => object>(),
  makeWorkerUtils: callable<(options: Shared) => Promise<Utils>>(),
  run: callable<(options: RunOptions) => Promise<{ stop(): Promise<void> }>>(),
})

export interface GraphileWorker {
  readonly version: string
  readonly enqueue: Work
  readonly live: Work
  close(): Promise<void>
}

/** Two databases: its workers scan the jobs of all tasks, including those of the enqueue turns. */
export async function openGraphileWorker(enqueueUrl: string, liveUrl: string): Promise<GraphileWorker> {
  const { exports, version } = loadPeer('graphile-worker')
  const { Logger, makeWorkerUtils, run } = peer.parse(exports)
  // Without this it logs a line per job.
  process.env.NO_LOG_SUCCESS = '1'
  const logger = new Logger(() => () => {})
  const pools = { enqueue: openPool(enqueueUrl, CALLERS), live: openPool(liveUrl, CALLERS) }
  // One more for LISTEN.
  const workers = openPool(liveUrl, CALLERS + 1)
  const enqueuer = await makeWorkerUtils({ pgPool: pools.enqueue, logger })
  const liver = await makeWorkerUtils({ pgPool: pools.live, logger })
  await enqueuer.migrate()
  await liver.migrate()

  /** The runner runs only during its turn, so that it does not poll during the turns of others. */
  async function live(): Promise<number> {
    const events = new EventEmitter()
    const listening = once(events, 'pool:listen:success')
    const options = { pgPool: workers, logger, concurrency: CALLERS, noHandleSignals: true, events }
    const runner = await run({ ...options, taskList: { [TASK]: () => {} } })
    try {
      await listening
      return await addedAndDone(events, () => liver.addJob(TASK, PAYLOAD))
    } finally {
      await runner.stop()
    }
  }

  return {
    version,
    enqueue: () => callsPerSecond(CALLERS, TURN_MS, () => enqueuer.addJob('enqueue', PAYLOAD)),
    live,
    async close() {
      await Promise.all([enqueuer.release(), liver.release()])
      await Promise.all([...Object.values(pools), workers].map((pool) => pool.end()))
    },
  }
}

/** Jobs per second until the last added job is finished. */
async function addedAndDone(events: EventEmitter, add: () => Promise<unknown>): Promise<number> {
  let added = Number.POSITIVE_INFINITY
  let done = 0
  let finish = () => {}
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })
  const check = () => {
    if (done >= added) finish()
  }
  events.on('job:complete', ({ error }: { readonly error: unknown }) => {
    if (error) throw error
    done += 1
    check()
  })
  const startedAt = performance.now()
  added = await callFor(CALLERS, TURN_MS, add)
  check()
  await finished
  return (done / (performance.now() - startedAt)) * 1_000
}

/** Connections stay open between turns, as for all subjects. */
function openPool(url: string, max: number): Pool {
  return new Pool({ connectionString: url, max, idleTimeoutMillis: 0 })
}
