/** Types of a shell worker: those of kind `command`, present and future. */
import { describe, expect, it } from 'vitest'
import { CommandTypes } from '../../server/shell/command-types.ts'
import { startShellWorker } from '../../server/shell/start-shell-worker.ts'
import type { JobContext } from '../../server/worker/jobs/handler.ts'
import { RetryLater } from '../../server/worker/jobs/handler-errors.ts'
import { QueueError } from '../../shared/errors.ts'
import { add, describeEngine } from '../support/engine.ts'
import { TestClock } from '../support/test-clock.ts'

type Kinds = Record<string, 'job' | 'command' | 'message'>

function watch(kinds: Kinds, only: readonly string[] | null = null) {
  const clock = new TestClock()
  const errors: unknown[] = []
  const ran: string[] = []
  const world = { isDown: false, changes: 0 }
  const queue = {
    async types() {
      if (world.isDown) throw new QueueError('UNREACHABLE', 'no answer')
      const row = { declared: {}, override: {}, createdAt: 0, updatedAt: 0 }
      return Object.entries(kinds).map(([name, kind]) => ({ ...row, name, kind, effective: EFFECTIVE }))
    },
  }
  const types = new CommandTypes({
    queue,
    only,
    clock,
    run: ({ type }) => ran.push(type),
    onChange: () => {
      world.changes += 1
    },
    onError: (error) => errors.push(error),
  })
  const taken = () => [...types.handlers.keys()].sort()
  return { clock, errors, ran, world, types, taken }
}

const EFFECTIVE = {
  paused: false,
  rate: null,
  burst: null,
  maxConcurrency: null,
  maxAttempts: 3,
  timeoutMs: null,
  backoff: { kind: 'fixed', baseMs: 0, jitter: 0 },
  retentionMs: 0,
  crashBudget: 3,
  leaseMs: 1_000,
  group: null,
  payloadSchema: null,
  resultSchema: null,
} as const

const jobOf = (type: string): JobContext => ({
  ...{ id: '1', type, payload: {}, version: 1, attempt: 1, maxAttempts: 1, createdAt: 0, traceparent: null },
  tick: null,
  signal: new AbortController().signal,
  progress() {},
  log() {},
})

describe('the types of a shell worker', () => {
  it('claims types of kind command, and the default type before it exists', async () => {
    const { types, taken } = watch({ mail: 'job', backup: 'command', topic: 'message' })
    expect(taken()).toEqual([])
    await types.start()
    expect(taken()).toEqual(['backup', 'shell'])
    types.stop()
  })

  it('does not claim the default type when it has another kind', async () => {
    const { types, taken } = watch({ shell: 'job', backup: 'command' })
    await types.start()
    expect(taken()).toEqual(['backup'])
    types.stop()
  })

  it('claims new types when they appear, and calls onChange only then', async () => {
    const kinds: Kinds = { backup: 'command' }
    const { types, taken, clock, world } = watch(kinds)
    await types.start()
    expect(world.changes).toBe(1)
    await clock.advance(10_000)
    expect(world.changes).toBe(1)
    Object.assign(kinds, { report: 'command', mail: 'job' })
    await clock.advance(2_000)
    expect([taken(), world.changes]).toEqual([['backup', 'report', 'shell'], 2])
    types.stop()
    expect(clock.pendingTimers).toBe(0)
  })

  it('claims only the given types, known or not, unless they have another kind', async () => {
    const { types, taken } = watch({ mail: 'job', backup: 'command', report: 'command' }, ['backup', 'mail', 'later'])
    await types.start()
    expect(taken()).toEqual(['backup', 'later'])
    types.stop()
  })

  it('keeps its types while the queue is unreachable', async () => {
    const { types, taken, clock, world, errors } = watch({ backup: 'command' })
    world.isDown = true
    await types.start()
    expect([taken(), errors.length]).toEqual([[], 1])
    world.isDown = false
    await clock.advance(2_000)
    world.isDown = true
    await clock.advance(2_000)
    expect([taken(), errors.length]).toEqual([['backup', 'shell'], 2])
    types.stop()
  })
})

describe('a job of a type that is not of kind command', () => {
  it('is not run by a shell worker', async () => {
    const kinds: Kinds = {}
    const { types, ran } = watch(kinds)
    await types.start()
    kinds.shell = 'job'
    const run = types.handlers.get('shell')
    await expect(run?.(jobOf('shell'))).rejects.toBeInstanceOf(RetryLater)
    expect(ran).toEqual([])
    types.stop()
  })

  it('a job of a type newer than the last refresh is run if its kind is command', async () => {
    const kinds: Kinds = {}
    const { types, ran } = watch(kinds)
    await types.start()
    kinds.shell = 'command'
    await types.handlers.get('shell')?.(jobOf('shell'))
    expect(ran).toEqual(['shell'])
    types.stop()
  })
})

describeEngine('a shell worker', (open) => {
  it('does not run jobs of another kind, even if their payload looks like a command', async () => {
    const { engine, clock } = await open()
    const plain = await add(engine, { type: 'mail', payload: { command: 'exit 1' } })
    const usual = await add(engine, { type: 'shell', payload: { command: 'exit 1' } })
    const options = { name: 'w:00000a/1', types: ['mail', 'shell'], concurrency: 2, leaseMs: 30_000, env: {}, clock }
    const shell = startShellWorker(engine, options)
    await clock.advance(10_000)
    for (const id of [plain, usual]) expect(await engine.get({ id })).toMatchObject({ status: 'pending', version: 0 })
    const stopping = shell.stop({ graceMs: 0 })
    await clock.advance(0)
    await stopping
  })
})
