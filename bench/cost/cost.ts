/** What the server costs: start-up time, memory, CPU time and disk, on SQLite with all defaults. */
import { median } from '../harness/measure.ts'
import type { Part } from '../harness/part.ts'
import { figure, type Table } from '../harness/table.ts'
import { leaveWaiting, letWorkersWait, MAX_MS, passJobs } from './loads.ts'
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
    readonly writtenBytes: number | null
    readonly diskBytes: number
  }
  readonly waiting: {
    readonly jobs: number
    readonly memoryBytes: number | null
    readonly writtenBytes: number | null
    readonly diskBytes: number
  }
  /** Fewer passed or wait if the time of a load was over. */
  readonly askedJobs: number
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
    await waiting.arrived()
    const memoryBytes = await server.memory()
    // They are still there, so the memory was read with all of them.
    await waiting.arrived()
    await waiting.leave()
    return { restBytes, workers: { count: workers, memoryBytes } }
  })
  logProgress(`${figure(jobs)} jobs pass`)
  const passed = await onServer(folder, 'passed', (server) => measurePassed(server, jobs))
  logProgress(`${figure(jobs)} jobs wait`)
  const waiting = await onServer(folder, 'waiting', async (server) => {
    const writtenBefore = server.writtenBytes()
    const left = await leaveWaiting(server.url, jobs)
    const writtenBytes = growthOf(writtenBefore, server.writtenBytes())
    return { jobs: left, writtenBytes, memoryBytes: await server.memory() }
  })
  logProgress(`${STARTS} starts with them`)
  const fullMs = await startTimes(() => MeasuredServer.start(folder, 'waiting'))
  const { restBytes, workers: idleWorkers } = idle
  return { starts: { emptyMs, fullMs }, restBytes, workers: idleWorkers, passed, waiting, askedJobs: jobs }
}

async function measurePassed(server: MeasuredServer, asked: number) {
  const serverBefore = server.cpuMicros()
  const writtenBefore = server.writtenBytes()
  const clientBefore = process.cpuUsage()
  const jobs = await passJobs(server.url, asked)
  const { user, system } = process.cpuUsage(clientBefore)
  const serverMicros = perJob(growthOf(serverBefore, server.cpuMicros()), jobs)
  const writtenBytes = growthOf(writtenBefore, server.writtenBytes())
  const memoryBytes = await server.memory()
  return { jobs, memoryBytes, serverMicros, clientMicros: (user + system) / jobs, writtenBytes }
}

function growthOf(before: number | null, after: number | null): number | null {
  return before === null || after === null ? null : after - before
}

function perJob(total: number | null, jobs: number): number | null {
  return total === null ? null : total / jobs
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

export function costTable({ starts, restBytes, workers, passed, waiting, askedJobs }: Cost): Table {
  const megabytes = (bytes: number | null) => (bytes === null ? '–' : `${figure(bytes / 2 ** 20)} MiB`)
  const micros = (value: number | null) => (value === null ? '–' : `${figure(value)} µs`)
  const bytes = (value: number | null) => (value === null ? '–' : `${figure(value)} bytes`)
  const isShort = Math.min(passed.jobs, waiting.jobs) < askedJobs
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
      ['size of the database per finished job', bytes(passed.diskBytes / passed.jobs)],
      ['size of the database per waiting job', bytes(waiting.diskBytes / waiting.jobs)],
      ['written to disk per job that was enqueued and run', bytes(perJob(passed.writtenBytes, passed.jobs))],
      ['written to disk per job that was enqueued', bytes(perJob(waiting.writtenBytes, waiting.jobs))],
    ],
    notes: [
      `start-up: medians of ${starts.emptyMs.length}, from starting the process until it accepts requests`,
      'memory: resident, after a pause of 2 s; size: the database after the server has ended, without the reserve for a full disk, at most 16 MiB',
      'written: as counted by the kernel, log and checkpoints included',
      'the waiting workers were counted at the server before and after the memory was read',
      'per job: enqueued in batches of 1,000 over HTTP, run by one worker with concurrency 50',
      ...(isShort ? [`a load ended after ${MAX_MS / 1_000} s, before all ${whole(askedJobs)} jobs`] : []),
    ],
  }
}
