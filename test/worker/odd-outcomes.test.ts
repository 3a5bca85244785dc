/** Unusual results and errors of handlers: each job ends, and none blocks another. */
import { expect, it, onTestFinished } from 'vitest'
import { openRemoteQueue } from '../../server/sdk/remote/remote-queue.ts'
import { formatWorkerEvent, type WorkerEvent, WorkerEvents } from '../../server/worker/events.ts'
import type { Handler } from '../../server/worker/jobs/handler.ts'
import { BadExit, RetryLater, UnrecoverableError } from '../../server/worker/jobs/handler-errors.ts'
import { startWorker, type WorkerOptions } from '../../server/worker/start-worker.ts'
import { QueueError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import { until } from '../support/engine.ts'
import { sqlite } from '../support/places.ts'
import { refusal } from '../support/refusal.ts'
import { startOn, type TestServer } from '../support/server.ts'

const throwing =
  (thrown: unknown): Handler =>
  () => {
    throw thrown
  }
const giving =
  (result: unknown): Handler =>
  () =>
    result

const circle: Record<string, unknown> = {}
circle.self = circle
const causeOfItself: Error = new Error('round')
causeOfItself.cause = causeOfItself

const throwingGetter = {
  get: () => {
    throw new Error('not to be read')
  },
}
const unreadable = (field: string) => Object.defineProperty(new Error('odd'), field, throwingGetter)
const UNSTORABLE = /^The result of this job cannot be stored: result/

interface Expected {
  readonly error?: string | RegExp
  readonly status?: string
  readonly result?: unknown
}

/** Return values and errors of handlers, with the expected outcome; default: failed with this error. */
const CASES: Readonly<Record<string, readonly [Handler, Expected]>> = {
  bigint: [throwing(10n), { error: 'The handler threw 10n' }],
  circle: [throwing(circle), { error: 'The handler threw a value of type object' }],
  nothing: [throwing(undefined), { error: 'The handler threw undefined' }],
  emptyText: [throwing(''), { error: 'No reason was given.' }],
  emptyReason: [throwing(new UnrecoverableError()), { error: 'No reason was given.' }],
  oddStack: [throwing(Object.assign(new Error('odd'), { stack: [] })), { error: 'odd' }],
  causes: [
    throwing(new TypeError('fetch failed', { cause: new AggregateError([new Error('one'), 'two'], 'both') })),
    { error: 'fetch failed\nCaused by: AggregateError: both\nError 1 of 2: Error: one\nError 2 of 2: two' },
  ],
  causeOfItself: [throwing(causeOfItself), { error: 'round' }],
  unreadableMessage: [throwing(unreadable('message')), { error: 'an error whose message cannot be read' }],
  unreadableCause: [throwing(unreadable('cause')), { error: 'odd' }],
  unreadableReason: [
    throwing(Object.defineProperty(new UnrecoverableError(), 'message', throwingGetter)),
    { error: /^The handler threw an error whose properties cannot be read: not to be read/ },
  ],
  progressNaN: [({ progress }) => progress(0 / 0), { error: /^progress\(NaN\) is not a number; pass a percentage/ }],
  longError: [throwing(new Error('x'.repeat(2 * limits.bodyBytes))), { error: /^x+…$/ }],
  retryNaN: [throwing(new RetryLater(Number.NaN, 'soon')), { error: 'soon' }],
  retryHalf: [throwing(new RetryLater(0.5, 'soon')), { error: 'soon' }],
  retryBefore: [throwing(new RetryLater(-1, 'soon')), { error: 'soon' }],
  retryNever: [throwing(new RetryLater(Number.POSITIVE_INFINITY, 'soon')), { error: 'soon' }],
  exitNaN: [throwing(new BadExit(Number.NaN, 'bad')), { error: 'bad' }],
  exitLarge: [throwing(new BadExit(3_221_225_477, 'bad')), { error: 'bad' }],
  givesBigint: [giving({ sum: 10n }), { error: UNSTORABLE }],
  givesCircle: [giving(circle), { error: UNSTORABLE }],
  givesFunction: [giving(() => 1), { error: UNSTORABLE }],
  givesText: [giving('fine'), { status: 'completed', result: 'fine' }],
}

const homes: [string, (server: TestServer) => TestServer['engine'] | ReturnType<typeof openRemoteQueue>][] = [
  ['on the database', ({ engine }) => engine],
  ['through the server', ({ url }) => openRemoteQueue({ url })],
]

it.each(homes)('a worker settles every unusual outcome, %s', async (_, queueOf) => {
  const server = await startOn(sqlite)()
  const jobs = Object.keys(CASES).map((type) => ({ type, payload: null, maxAttempts: 1 }))
  const enqueued = await server.engine.enqueueMany({ jobs })
  const handlers = Object.fromEntries(Object.entries(CASES).map(([type, [handler]]) => [type, handler]))
  const worker = startWorker({ ...queueOf(server), address: null }, handlers, { concurrency: 100 })
  onTestFinished(() => worker.stop({ graceMs: 0 }))
  const events: WorkerEvent[] = []
  worker.events.onAny((event) => events.push(event))
  await until(() => events.filter(({ kind }) => kind === 'failed' || kind === 'success').length === jobs.length)
  for (const [index, { type }] of jobs.entries()) {
    const { error, ...rest }: Expected = CASES[type]?.[1] ?? {}
    const words = error instanceof RegExp ? expect.stringMatching(error) : (error ?? null)
    expect(await server.engine.get({ id: enqueued[index]?.id ?? '' })).toMatchObject({
      status: 'failed',
      error: words,
      ...rest,
    })
  }
  expect(events.filter(({ kind }) => kind === 'error' || kind === 'unreachable')).toEqual([])
})

it('a worker sends outcomes in several calls when one call would be too large for the server', async () => {
  const { engine, url } = await startOn(sqlite)({ MAX_BODY_BYTES: '4096' })
  const jobs = [...Array.from({ length: 20 }, () => 'small'), 'large'].map((type) => ({ type, payload: null }))
  const enqueued = await engine.enqueueMany({ jobs })
  const handlers = { small: () => 'x'.repeat(1_000), large: () => 'x'.repeat(10_000) }
  const worker = startWorker({ ...openRemoteQueue({ url }), address: null }, handlers, { concurrency: 100 })
  onTestFinished(() => worker.stop({ graceMs: 0 }))
  const ended: string[] = []
  for (const kind of ['success', 'failed'] as const) worker.events.on(kind, ({ type }) => ended.push(`${kind} ${type}`))
  await until(() => ended.length === jobs.length)
  expect(ended.toSorted()).toEqual(['failed large', ...Array(20).fill('success small')])
  expect(await engine.get({ id: enqueued[20]?.id ?? '' })).toMatchObject({
    error: expect.stringMatching(/^The result of this job cannot be stored: The request is \d+ bytes/),
  })
})

it('a worker keeps all log lines when one is too long or not a string', async () => {
  const { engine, url } = await startOn(sqlite)()
  const { id } = await engine.enqueue({ type: 'talk', payload: null })
  const lines: unknown[] = ['before', 'x'.repeat(2 * limits.bodyBytes), undefined, 'after']
  const logLines: Handler = ({ log }) => {
    // As a handler in plain JavaScript can do.
    for (const line of lines) Reflect.apply(log, null, [line])
  }
  const worker = startWorker({ ...openRemoteQueue({ url }), address: null }, { talk: logLines })
  onTestFinished(() => worker.stop({ graceMs: 0 }))
  await engine.result({ ids: [id], waitMs: 20_000 })
  const logged = (await engine.logs({ id })).map(({ line }) => line)
  expect(logged).toEqual(['before', expect.stringMatching(/^x+…$/), 'undefined', 'after'])
})

const unusable: [WorkerOptions, string][] = [
  [{ concurrency: 0 }, 'worker.concurrency'],
  [{ concurrency: Number.NaN }, 'worker.concurrency'],
  [{ leaseMs: 500 }, 'worker.leaseMs'],
  [{ waitMs: 0 }, 'worker.waitMs'],
  [{ waitMs: 60_000 }, 'worker.waitMs'],
  [{ beatMs: 0 }, 'worker.beatMs'],
  [{ name: '' }, 'worker.name'],
  [{ version: '' }, 'worker.version'],
  [{ version: 'v'.repeat(101) }, 'worker.version'],
]

it.each(unusable)('startWorker refuses the options %o', async (options, named) => {
  const queue = openRemoteQueue({ url: 'http://127.0.0.1:1' })
  const { code, message } = refusal(() => startWorker(queue, { mail: () => null }, options))
  expect([code, message]).toEqual(['BAD_INPUT', expect.stringContaining(named)])
})

it.each([
  [{ concurency: 5 }, 'A worker has no option concurency; did you mean concurrency?'],
  [{ lease: 5 }, 'A worker has no option lease; did you mean leaseMs?'],
  [{ declare: true }, 'A worker has no option declare; known options are name, concurrency, '],
])('startWorker refuses the unknown option %o', (options, reason) => {
  const queue = openRemoteQueue({ url: 'http://127.0.0.1:1' })
  const given: WorkerOptions = { name: 'w', ...options }
  expect(refusal(() => startWorker(queue, { mail: () => null }, given)).message).toContain(reason)
})

it('a worker refuses an invalid job type', () => {
  const queue = openRemoteQueue({ url: 'http://127.0.0.1:1' })
  expect(refusal(() => startWorker(queue, { 'two\nlines': () => null }))).toMatchObject({ code: 'BAD_INPUT' })
})

it('a worker emits a process warning for errors without a listener', async () => {
  const events = new WorkerEvents()
  const warned = new Promise<Error>((resolve) => process.once('warning', resolve))
  events.emit({ kind: 'unreachable', error: new QueueError('UNAUTHORIZED', 'no such token') })
  expect((await warned).message).toBe('Worker: the queue rejects this worker: no such token')
  const away = new QueueError('UNREACHABLE', 'no server there')
  expect(formatWorkerEvent({ kind: 'unreachable', error: away })).toBe('the queue is unreachable: no server there')
})

/** The warnings of one turn, which Node emits in the next. */
async function warningsOf(act: () => void): Promise<readonly string[]> {
  const warnings: string[] = []
  const note = (warning: Error) => warnings.push(warning.message)
  process.on('warning', note)
  act()
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', note)
  return warnings
}

it('a listener for one kind does not suppress the warnings of other kinds', async () => {
  const events = new WorkerEvents()
  const received: string[] = []
  events.on('failed', ({ kind }) => received.push(kind))
  const end = events.on('error', ({ kind }) => received.push(kind))
  const warnings = await warningsOf(() => {
    events.emit({ kind: 'unreachable', error: new Error('no route') })
    events.emit({ kind: 'error', error: new Error('odd') })
    end()
    events.emit({ kind: 'error', error: new Error('odd again') })
  })
  expect(received).toEqual(['error'])
  expect(warnings).toEqual(['Worker: the queue is unreachable: no route', 'Worker: error: odd again'])
})

it('a listener that throws causes a warning, and other listeners still receive the event', async () => {
  const events = new WorkerEvents()
  const received: string[] = []
  events.onAny(() => {
    throw unreadable('message')
  })
  events.onAny(async () => {
    throw new Error('later')
  })
  events.onAny(({ kind }) => received.push(kind))
  const warnings = await warningsOf(() => events.emit({ kind: 'draining' }))
  expect(received).toEqual(['draining'])
  expect(warnings).toEqual([
    'Worker: a listener for draining events threw: an error whose message cannot be read',
    'Worker: a listener for draining events threw: later',
  ])
})
