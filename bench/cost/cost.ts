/** What the server costs: start-up time, memory, CPU time and disk, on SQLite with all defaults. */
import { median } from '../harness/measure.ts'
import type { Part } from '../harness/part.ts'
import { figure, type Table } from '../harness/table.ts'
import { leaveWaiting, letWorkersWait, passJobs } from './loads.ts'
import { MeasuredServer } from './measured-server.ts'
import { type CostOptions, parseCostOptions } from './options.ts'

const STARTS = 5

type LogProgress = (progress: string) => void

export interface Cost {
  readonly starts: { readonly emptyMs: readonly number[]; readonly fullMs: readonly number[] }
  readonly restBytes: number | null
  readonly workers: { readonly count: number; readonly memoryBytes: number | null }
  readonly passed: {
    readonly jobs: number
    readonly memoryBytes: number | null
    readonly serverMicros: number | null
    readonly clientMicros: number
    readonly diskBytes: number
  }
  readonly waiting: { readonly jobs: number; readonly memoryBytes: number | null; readonly diskBytes: number }
}

export const cost: Part = async (folder, logProgress, args = []) => {
  const measured = await measureCost(folder, parseCostOptions(args), logProgress)
  return { tables: [costTable(measured)], results: { cost: measured } }
}

async function measureCost(folder: string, { jobs, workers }: CostOptions, logProgress: LogProgress): Promise<Cost> {
  logProgress(`${STARTS} starts`)
  const emptyMs = await startTimes((n) => MeasuredServer.start(folder, `empty-${n}`))
  logProgress(`${figure(workers)} waiting workers`)
  const idle = await onServer(folder, 'idle', async (server) => {
    const restBytes = await server.memory()
    const waiting = letWorkersWait(server.url, workers)
    const memoryBytes = await server.memory()
    await waiting.leave()
    return { restBytes, workers: { count: workers, memoryBytes } }
  })
  logProgress(`${figure(jobs)} jobs pass`)
  const passed = await onServer(folder, 'passed', (server) => measurePassed(server, jobs))
  logProgress(`${figure(jobs)} jobs wait`)
  const waiting = await onServer(folder, 'waiting', async (server) => {
    const left = await leaveWaiting(server.url, jobs)
    return { jobs: left, memoryBytes: await server.memory() }
  })
  logProgress(`${STARTS} starts with them`)
  const fullMs = await startTimes(() => MeasuredServer.start(folder, 'waiting'))
  const { restBytes, workers: idleWorkers } = idle
  return { starts: { emptyMs, fullMs }, restBytes, workers: idleWorkers, passed, waiting }
}

async function measurePassed(server: MeasuredServer, asked: number) {
  const serverBefore = server.cpuMicros()
  const clientBefore = process.cpuUsage()
  const jobs = await passJobs(server.url, asked)
  const { user, system } = process.cpuUsage(clientBefore)
  const serverAfter = server.cpuMicros()
  const serverMicros = serverBefore === null || serverAfter === null ? null : (serverAfter - serverBefore) / jobs
  const memoryBytes = await server.memory()
  return { jobs, memoryBytes, serverMicros, clientMicros: (user + system) / jobs }
}

async function startTimes(start: (n: number) => Promise<MeasuredServer>): Promise<readonly number[]> {
  const figures: number[] = []
  for (let n = 0; n < STARTS; n++) {
    const server = await start(n)
    figures.push(server.startMs)
    await server.stop()
  }
  return figures
}

async function onServer<Result extends object>(
  folder: string,
  name: string,
  work: (server: MeasuredServer) => Promise<Result>,
): Promise<Result & { readonly diskBytes: number }> {
  const server = await MeasuredServer.start(folder, name)
  try {
    const result = await work(server)
    return { ...result, diskBytes: await server.stop() }
  } catch (error) {
    await server.stop()
    throw error
  }
}

export function costTable({ starts, restBytes, workers, passed, waiting }: Cost): Table {
  const megabytes = (bytes: number | null) => (bytes === null ? '–' : `${figure(bytes / 2 ** 20)} MiB`)
  const micros = (value: number | null) => (value === null ? '–' : `${figure(value)} µs`)
  const whole = (value: number) => value.toLocaleString('en-US')
  return {
    title: 'Cost of the server on SQLite, all defaults, 200-byte payloads',
    head: ['', 'figure'],
    rows: [
      ['start-up, empty database', `${figure(median(starts.emptyMs))} ms`],
      [`start-up with ${whole(waiting.jobs)} waiting jobs`, `${figure(median(starts.fullMs))} ms`],
      ['memory at rest', megabytes(restBytes)],
      [`memory with ${whole(workers.count)} waiting workers`, megabytes(workers.memoryBytes)],
      [`memory after ${whole(passed.jobs)} jobs`, megabytes(passed.memoryBytes)],
      [`memory with ${whole(waiting.jobs)} waiting jobs`, megabytes(waiting.memoryBytes)],
      ['CPU time of the server per job', micros(passed.serverMicros)],
      ['CPU time of producer and worker per job', micros(passed.clientMicros)],
      ['disk per finished job', `${figure(passed.diskBytes / passed.jobs)} bytes`],
      ['disk per waiting job', `${figure(waiting.diskBytes / waiting.jobs)} bytes`],
    ],
    notes: [
      `start-up: medians of ${starts.emptyMs.length}, from starting the process until it accepts requests`,
      'memory: resident, after a pause of 2 s; disk: the database after the server has ended',
      'per job: enqueued in batches of 1,000 over HTTP, run by one worker with concurrency 50',
    ],
  }
}
