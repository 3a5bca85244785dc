/** plainjob with fsynced commits and the shortest poll, and as it is by default apart from the poll. */
import Database from 'better-sqlite3'
import { z } from 'zod'
import { callable, loadPeer } from '../load.ts'
import { type Adapter, Countdown, type Lane, type Session } from '../system.ts'

/** The part of its API that is used. */
interface Queue {
  add(type: string, data: object): unknown
  addMany(type: string, data: readonly object[]): unknown
  countJobs(options: { readonly type: string; readonly status: number }): number
  close(): void
}

interface WorkerOptions {
  readonly queue: Queue
  readonly pollIntervall: number
  readonly logger: object
  readonly onCompleted: () => void
}

type DefineWorker = (
  type: string,
  process: (job: { readonly id: number }) => void,
  options: WorkerOptions,
) => { start(): Promise<void>; stop(): Promise<void> }

const peer = z.object({
  better: callable<(database: Database.Database) => unknown>(),
  defineQueue: callable<(options: { readonly connection: unknown; readonly logger: object }) => Queue>(),
  defineWorker: callable<DefineWorker>(),
  JobStatus: z.object({ Done: z.number() }).catchall(z.unknown()),
})

const POLL_MS = 1
const FULL = 2
const NOT_DONE = [0, 1, 3]

export const openPlainjobFull: Adapter = (address, payload) => open(address, payload, true)

export const openPlainjob: Adapter = (address, payload) => open(address, payload, false)

async function open(address: string, payload: object, isFull: boolean): Promise<Session> {
  const { better, defineQueue, defineWorker } = peer.parse(await loadPeer('plainjob'))
  const ignore = () => {}
  const logger = { error: (message: string) => process.stderr.write(`plainjob: ${message}\n`), warn: ignore }
  const quiet = { ...logger, info: ignore, debug: ignore }
  const database = new Database(address)
  const queue = defineQueue({ connection: better(database), logger: quiet })
  if (isFull) {
    database.pragma('synchronous = FULL')
    if (database.pragma('synchronous', { simple: true }) !== FULL) throw new Error('synchronous=FULL was not accepted.')
  }
  return {
    // Its calls are synchronous: without this the callers would keep the worker from running at all.
    async enqueue(lane) {
      queue.add(lane, payload)
      await new Promise(setImmediate)
    },
    async enqueueMany(lane, jobs) {
      queue.addMany(
        lane,
        Array.from({ length: jobs }, () => payload),
      )
    },
    async work(_, handle) {
      const done = new Countdown()
      const options = { queue, pollIntervall: POLL_MS, logger: quiet, onCompleted: () => done.add() }
      const worker = defineWorker('work', ({ id }) => handle(id), options)
      const ended = worker.start()
      return {
        finished: (jobs) => done.reached(jobs),
        async stop() {
          await worker.stop()
          await ended
        },
      }
    },
    left: async (lane: Lane) => NOT_DONE.reduce((sum, status) => sum + queue.countJobs({ type: lane, status }), 0),
    async close() {
      queue.close()
      database.close()
    },
  }
}
