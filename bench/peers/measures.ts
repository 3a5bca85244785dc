/** The measures, the same for every system: one turn of each. */
import { setTimeout as sleep } from 'node:timers/promises'
import { elapsedMs, median } from '../harness/measure.ts'
import { callFor } from '../harness/turn.ts'
import { ExactlyOnce, storing } from './exactly-once.ts'
import type { Session } from './system.ts'

export const MEASURES = ['enqueue', 'bulk', 'process-1', 'process-10', 'process-50', 'e2e', 'pickup'] as const
export type MeasureName = (typeof MEASURES)[number]

export const CALLERS = 64
export const BULK_JOBS = 1_000
export const E2E_CONCURRENCY = 50
export const PICKUP_CONCURRENCY = 10
/** Uneven, so that samples are spread between two polls. */
const PICKUP_PAUSE_MS = { min: 5, spread: 10 }
const FILL_JOBS = { least: 100, most: 40_000 }

export interface Figure {
  /** Jobs per second; for pickup the median in milliseconds. */
  readonly value: number
  readonly jobs: number
  /** Milliseconds of every job; only for pickup. */
  readonly samples?: readonly number[]
}

/** Jobs per second of the previous turn, from which the size of the next backlog follows. */
export type Rates = Map<MeasureName, number>

export async function measure(name: MeasureName, session: Session, turnMs: number, rates: Rates): Promise<Figure> {
  switch (name) {
    case 'enqueue':
      return stored(session, () => callFor(CALLERS, turnMs, () => session.enqueue('enqueue')))
    case 'bulk':
      return stored(
        session,
        async () => BULK_JOBS * (await callFor(1, turnMs, () => session.enqueueMany('enqueue', BULK_JOBS))),
      )
    case 'process-1':
    case 'process-10':
    case 'process-50': {
      const concurrency = Number(name.slice('process-'.length))
      const figure = await drain(session, concurrency, backlogOf(rates.get(name) ?? concurrency * 100, turnMs))
      rates.set(name, figure.value)
      return figure
    }
    case 'e2e':
      return endToEnd(session, turnMs)
    case 'pickup':
      return pickUp(session, turnMs)
  }
}

/** Milliseconds of one enqueue on an idle system. */
export async function loneEnqueueMs(session: Session, samples: number): Promise<number> {
  const figures: number[] = []
  for (let n = 0; n < samples; n++) figures.push(await elapsedMs(() => session.enqueue('enqueue')))
  return median(figures)
}

function backlogOf(rate: number, turnMs: number): number {
  return Math.round(Math.min(FILL_JOBS.most, Math.max(FILL_JOBS.least, (rate * turnMs) / 1_000)))
}

async function stored(session: Session, enqueue: () => Promise<number>): Promise<Figure> {
  let figure: Figure = { value: Number.NaN, jobs: 0 }
  await storing(session, 'enqueue', async () => {
    figure = await perSecond(enqueue)
    return figure.jobs
  })
  return figure
}

async function perSecond(work: () => Promise<number>): Promise<Figure> {
  let jobs = 0
  const ms = await elapsedMs(async () => {
    jobs = await work()
  })
  return { value: (jobs / ms) * 1_000, jobs }
}

/** From the first line of the first handler to the last stored outcome: starting the worker is not measured. */
async function drain(session: Session, concurrency: number, jobs: number): Promise<Figure> {
  for (let left = jobs; left > 0; left -= BULK_JOBS) await session.enqueueMany('work', Math.min(left, BULK_JOBS))
  const once = new ExactlyOnce()
  let startedAt = 0
  const working = await session.work(concurrency, (id) => {
    if (startedAt === 0) startedAt = performance.now()
    once.handle(id)
  })
  await working.finished(jobs)
  const ms = performance.now() - startedAt
  await working.stop()
  await once.check(session, jobs)
  return { value: (jobs / ms) * 1_000, jobs }
}

/** Until the last job is finished. */
async function endToEnd(session: Session, turnMs: number): Promise<Figure> {
  const { once, working } = await startIdle(session, E2E_CONCURRENCY)
  const figure = await perSecond(async () => {
    const jobs = await callFor(CALLERS, turnMs, () => session.enqueue('work'))
    await working.finished(jobs + 1)
    return jobs
  })
  await working.stop()
  await once.check(session, figure.jobs + 1)
  return figure
}

/** One job at a time into an idle worker, from calling enqueue to the first line of the handler. */
async function pickUp(session: Session, turnMs: number): Promise<Figure> {
  const idle = await startIdle(session, PICKUP_CONCURRENCY)
  const samples: number[] = []
  const endsAt = performance.now() + turnMs
  while (performance.now() < endsAt || samples.length === 0) {
    await sleep(PICKUP_PAUSE_MS.min + Math.random() * PICKUP_PAUSE_MS.spread)
    const began = idle.next()
    const startedAt = performance.now()
    const [, at] = await Promise.all([session.enqueue('work'), began])
    samples.push(at - startedAt)
  }
  await idle.working.finished(samples.length + 1)
  await idle.working.stop()
  await idle.once.check(session, samples.length + 1)
  return { value: median(samples), jobs: samples.length, samples }
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
