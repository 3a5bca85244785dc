/** The measures, the same for every system: one turn of each. */
import { setTimeout as sleep } from 'node:timers/promises'
import { elapsedMs, median } from '../harness/measure.ts'
import { callFor } from '../harness/turn.ts'
import { ExactlyOnce, storing } from './exactly-once.ts'
import type { BeginSpan, CpuTime, Span } from './span.ts'
import type { Session } from './system.ts'

export const MEASURES = ['enqueue', 'bulk', 'process-1', 'process-10', 'process-50', 'e2e', 'pickup'] as const
export type MeasureName = (typeof MEASURES)[number]

export const CALLERS = 64
export const BULK_JOBS = 1_000
export const E2E_CONCURRENCY = 50
export const PICKUP_CONCURRENCY = 10
/** Uneven, so that samples are spread between two polls. */
const PICKUP_PAUSE_MS = { min: 5, spread: 10 }
/** `leastPerSlot`: for workers that pause between jobs. */
const FILL_JOBS = { least: 100, leastPerSlot: 5, most: 120_000 }
/** Assumed jobs per second and slot before the first turn. */
const FIRST_SLOT_RATE = 100

/**
 * Turns with a worker are longer, for every system: each starts a new worker, whose code is compiled anew while it runs the first jobs.
 * In turns of 0.8 s that was a quarter of the CPU time of Millrace in process at concurrency 50, and a tenth of that of the limit.
 */
const WORKER_FACTOR = 2.5

export function lengthOf(measure: MeasureName, turnMs: number): number {
  return measure === 'enqueue' || measure === 'bulk' ? turnMs : turnMs * WORKER_FACTOR
}

/** CPU times are per job. */
export interface Figure extends CpuTime {
  /** Jobs per second; for pickup the median in milliseconds. */
  readonly value: number
  readonly jobs: number
  /** Milliseconds of every job; only for pickup. */
  readonly samples?: readonly number[]
}

/** Jobs per second of the previous turn, from which the size of the next backlog follows. */
export type Rates = Map<MeasureName, number>

export interface Turn {
  readonly session: Session
  readonly turnMs: number
  readonly rates: Rates
  readonly begin: BeginSpan
}

export async function measure(name: MeasureName, turn: Turn): Promise<Figure> {
  const { session, turnMs } = turn
  switch (name) {
    case 'enqueue':
      return stored(turn, () => callFor(CALLERS, turnMs, () => session.enqueue('enqueue')))
    case 'bulk':
      return stored(
        turn,
        async () => BULK_JOBS * (await callFor(1, turnMs, () => session.enqueueMany('enqueue', BULK_JOBS))),
      )
    case 'process-1':
    case 'process-10':
    case 'process-50':
      return drain(name, turn)
    case 'e2e':
      return endToEnd(turn)
    case 'pickup':
      return pickUp(turn)
  }
}

export interface LoneEnqueue {
  /** Milliseconds of one enqueue on an idle system. */
  readonly ms: number
  /** Divided by the time of an fdatasync right after it: the disk of a busy machine is not always equally fast. */
  readonly perSync: number
}

/** Medians. `syncMs`: stores a page and returns the time. */
export async function loneEnqueue(session: Session, samples: number, syncMs: () => number): Promise<LoneEnqueue> {
  const figures: LoneEnqueue[] = []
  for (let n = 0; n < samples; n++) {
    const ms = await elapsedMs(() => session.enqueue('enqueue'))
    figures.push({ ms, perSync: ms / syncMs() })
  }
  return { ms: median(figures.map(({ ms }) => ms)), perSync: median(figures.map(({ perSync }) => perSync)) }
}

function perSecond(jobs: number, { ms, clientMicros, serverMicros }: Span): Figure {
  const micros = { clientMicros: clientMicros / jobs, serverMicros: serverMicros === null ? null : serverMicros / jobs }
  return { value: (jobs / ms) * 1_000, jobs, ...micros }
}

function stored({ session, begin }: Turn, enqueue: () => Promise<number>): Promise<Figure> {
  return storing(session, 'enqueue', async () => {
    const end = begin()
    const jobs = await enqueue()
    return perSecond(jobs, end())
  })
}

/** From the first line of the first handler to the last stored outcome: starting the worker is not measured. */
async function drain(name: MeasureName, { session, turnMs, rates, begin }: Turn): Promise<Figure> {
  const concurrency = Number(name.slice('process-'.length))
  const jobs = backlogOf(concurrency, session.slotRate, rates.get(name), turnMs)
  for (let left = jobs; left > 0; left -= BULK_JOBS) await session.enqueueMany('work', Math.min(left, BULK_JOBS))
  const once = new ExactlyOnce()
  let end: (() => Span) | null = null
  const working = await session.work(concurrency, (id) => {
    end ??= begin()
    once.handle(id)
  })
  await working.finished(jobs)
  const span = (end ?? begin())()
  await working.stop()
  await once.check(session, jobs)
  const figure = perSecond(jobs, span)
  rates.set(name, figure.value)
  return figure
}

/** Jobs for a turn of about the given length, at the rate of the previous turn. */
function backlogOf(
  concurrency: number,
  slotRate: number | undefined,
  rate: number | undefined,
  turnMs: number,
): number {
  const expected = rate ?? concurrency * (slotRate ?? FIRST_SLOT_RATE)
  const least = slotRate === undefined ? FILL_JOBS.least : concurrency * FILL_JOBS.leastPerSlot
  return Math.round(Math.min(FILL_JOBS.most, Math.max(least, (expected * turnMs) / 1_000)))
}

/** Until the last job is finished. */
async function endToEnd({ session, turnMs, begin }: Turn): Promise<Figure> {
  const { once, working } = await startIdle(session, E2E_CONCURRENCY)
  const end = begin()
  const jobs = await callFor(CALLERS, turnMs, () => session.enqueue('work'))
  await working.finished(jobs + 1)
  const span = end()
  await working.stop()
  await once.check(session, jobs + 1)
  return perSecond(jobs, span)
}

/** One job at a time into an idle worker, from calling enqueue to the first line of the handler. */
async function pickUp({ session, turnMs, begin }: Turn): Promise<Figure> {
  const idle = await startIdle(session, PICKUP_CONCURRENCY)
  const samples: number[] = []
  const end = begin()
  const endsAt = performance.now() + turnMs
  while (performance.now() < endsAt || samples.length === 0) {
    await sleep(PICKUP_PAUSE_MS.min + Math.random() * PICKUP_PAUSE_MS.spread)
    const began = idle.next()
    const startedAt = performance.now()
    const [, at] = await Promise.all([session.enqueue('work'), began])
    samples.push(at - startedAt)
  }
  const span = end()
  await idle.working.finished(samples.length + 1)
  await idle.working.stop()
  await idle.once.check(session, samples.length + 1)
  return { ...perSecond(samples.length, span), value: median(samples), samples }
}

/** A worker that has run one job: starting it is not measured. */
async function startIdle(session: Session, concurrency: number) {
  const once = new ExactlyOnce()
  let begin: (at: number) => void = () => {}
  const working = await session.work(concurrency, (id) => {
    begin(performance.now())
    once.handle(id)
  })
  /** When the next handler begins. */
  const next = () =>
    new Promise<number>((resolve) => {
      begin = resolve
    })
  const began = next()
  await session.enqueue('work')
  await began
  return { once, working, next }
}
