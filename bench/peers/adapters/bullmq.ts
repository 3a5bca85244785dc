/** BullMQ on Redis or PostgreSQL: one queue per lane, one worker with its own connections. */
import { z } from 'zod'
import { callable, loadPeer } from '../load.ts'
import { type Adapter, Countdown, type Handle, type Lane, type Session } from '../system.ts'

/** The part of its API that is used. */
interface Queue {
  waitUntilReady(): Promise<unknown>
  add(name: string, data: object): Promise<unknown>
  addBulk(jobs: readonly { readonly name: string; readonly data: object }[]): Promise<unknown>
  getJobCountByTypes(...states: readonly string[]): Promise<number>
  close(): Promise<unknown>
}

interface Worker {
  waitUntilReady(): Promise<unknown>
  on(event: 'completed', listener: () => void): unknown
  on(event: 'error' | 'failed', listener: (...details: readonly unknown[]) => void): unknown
  close(force?: boolean): Promise<unknown>
}

type Process = (job: { readonly id: string }) => Promise<void>
type NewQueue = new (name: string, options: object, backend?: unknown) => Queue
type NewWorker = new (name: string, process: Process, options: object, backend?: unknown) => Worker

const peer = z.object({
  Queue: callable<NewQueue>(),
  Worker: callable<NewWorker>(),
  createPostgresBackend: callable<() => unknown>(),
})

/** Every queue and worker has a pool; three of them stay below the 100 connections of a default PostgreSQL. */
const POOL = 25

export const openBullRedis: Adapter = async (address, payload) => {
  const { hostname: host, port } = new URL(address)
  // Workers require that their connection retries requests forever.
  const connection = { host, port: Number(port), maxRetriesPerRequest: null }
  return open(connection, payload, false)
}

export const openBullPostgres: Adapter = async (address, payload) =>
  open({ connectionString: address, max: POOL, migrate: true }, payload, true)

async function open(connection: object, payload: object, onPostgres: boolean): Promise<Session> {
  const { Queue, Worker, createPostgresBackend } = peer.parse(await loadPeer('bullmq'))
  const backend = onPostgres ? createPostgresBackend : undefined
  // One after the other: the first one creates the tables.
  const lanes: Readonly<Record<Lane, Queue>> = {
    enqueue: await ready(new Queue('enqueue', { connection }, backend)),
    work: await ready(new Queue('work', { connection }, backend)),
  }
  return {
    enqueue: (lane) => lanes[lane].add('job', payload),
    enqueueMany: (lane, jobs) =>
      lanes[lane].addBulk(Array.from({ length: jobs }, () => ({ name: 'job', data: payload }))),
    async work(concurrency: number, handle: Handle) {
      const done = new Countdown()
      const worker = new Worker('work', async ({ id }) => handle(id), { connection, concurrency }, backend)
      worker.on('completed', () => done.add())
      worker.on('error', (error) => process.stderr.write(`bullmq worker: ${error}\n`))
      worker.on('failed', (_, error) => process.stderr.write(`bullmq job: ${error}\n`))
      await ready(worker)
      return { finished: (jobs) => done.reached(jobs), stop: () => worker.close() }
    },
    left: (lane) => lanes[lane].getJobCountByTypes('waiting', 'active', 'delayed', 'prioritized', 'failed'),
    close: () => Promise.all(Object.values(lanes).map((queue) => queue.close())),
  }
}

async function ready<Connected extends { waitUntilReady(): Promise<unknown> }>(one: Connected): Promise<Connected> {
  await one.waitUntilReady()
  return one
}
