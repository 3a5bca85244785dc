/** Worker runtime: slots, combined settle and claim, handler outcomes, stop. */
import { describe, expect, it } from 'vitest'
import { QueueError } from '../../server/index.ts'
import { Stopped } from '../../server/worker/jobs/handler.ts'
import { Cancel, RetryLater, UnrecoverableError } from '../../server/worker/jobs/handler-errors.ts'
import type { Queue } from '../../shared/queue.ts'
import { add, addMany, describeEngine, until } from '../support/engine.ts'
import { gated, withWorker } from '../support/worker.ts'

describeEngine('a worker', (open) => {
  it('a worker runs jobs of types with a handler and stores the results', async () => {
    const { engine, clock } = await open()
    const id = await add(engine, { payload: { to: 'a' } })
    const other = await add(engine, { type: 'call' })
    const seen: unknown[] = []
    const mail = (job: unknown) => {
      seen.push(job)
      return { sent: true }
    }
    await withWorker({ queue: engine, clock }, { mail }, {}, async ({ lines }) => {
      await clock.advance(0)
      expect(await engine.get({ id })).toMatchObject({ status: 'completed', result: { sent: true }, lockedBy: 'w' })
      expect(await engine.get({ id: other })).toMatchObject({ status: 'pending' })
      expect(seen).toMatchObject([{ id, type: 'mail', payload: { to: 'a' }, version: 1, attempt: 1, maxAttempts: 3 }])
      expect(lines()).toEqual(['claimed mail', 'success mail in 0 ms'])
    })
  })

  it('a worker claims no more jobs than it has free slots', async () => {
    const { engine, clock } = await open()
    await addMany(engine, 5)
    const gate = gated(null)
    await withWorker({ queue: engine, clock }, { mail: gate.handler }, { concurrency: 2 }, async ({ worker }) => {
      await clock.advance(0)
      expect([gate.waiting, worker.busy]).toEqual([2, 2])
      expect(await engine.counts()).toMatchObject({ processing: 2, pending: 3 })
      for (let left = 5; left > 0; left--) {
        gate.open()
        await clock.advance(0)
        expect(gate.waiting).toBe(Math.min(2, left - 1))
      }
      expect(gate.most).toBe(2)
      expect(await engine.counts()).toMatchObject({ completed: 5 })
    })
  })

  it('a worker settles and claims in one commit', async () => {
    const { engine, clock, store } = await open()
    await addMany(engine, 3)
    const gate = gated(null)
    await withWorker({ queue: engine, clock }, { mail: gate.handler }, { concurrency: 1 }, async () => {
      await clock.advance(0)
      store.reset()
      gate.open()
      await clock.advance(0)
      expect(store.committed.map((ops) => ops.map(({ kind }) => kind))).toEqual([['complete', 'claim']])
    })
  })

  it('a worker settles a job at once when it ends while a claim waits', async () => {
    const { engine, clock } = await open()
    const id = await add(engine)
    const gate = gated(null)
    await withWorker({ queue: engine, clock }, { mail: gate.handler }, { concurrency: 2 }, async () => {
      await clock.advance(0)
      expect(engine.load.waitingClaims).toBe(1)
      gate.open()
      await clock.advance(0)
      expect(await engine.get({ id })).toMatchObject({ status: 'completed' })
      expect(engine.load.waitingClaims).toBe(1)
    })
  })

  it('a worker claims a job as soon as it is enqueued', async () => {
    const { engine, clock } = await open()
    await withWorker({ queue: engine, clock }, { mail: () => null }, {}, async () => {
      await clock.advance(0)
      const id = await add(engine)
      await clock.advance(0)
      expect(await engine.get({ id })).toMatchObject({ status: 'completed' })
    })
  })

  it.each([
    ['an error', new Error('no such address'), { status: 'retrying', error: /^no such address$/ }],
    ['a string', 'boom', { status: 'retrying', error: /^boom$/ }],
    ['RetryLater', new RetryLater(5_000, 'later'), { status: 'retrying', error: /^later$/, delayMs: 5_000 }],
    ['UnrecoverableError', new UnrecoverableError('no such user'), { status: 'failed', error: /^no such user$/ }],
    ['Cancel', new Cancel('not wanted'), { status: 'cancelled', error: /^not wanted$/ }],
  ] as const)('a worker settles a job whose handler throws %s', async (_, thrown, expected) => {
    const { engine, clock } = await open()
    const id = await add(engine)
    const mail = () => Promise.reject(thrown)
    await withWorker({ queue: engine, clock }, { mail }, {}, async () => {
      await clock.advance(0)
      const job = await engine.get({ id })
      expect(job.status).toBe(expected.status)
      expect(job.error).toMatch(expected.error)
      if ('delayMs' in expected) expect(job.runAt).toBe(clock.now() + expected.delayMs)
    })
  })

  it('a worker stores the stack of an error with the attempt and only its message with the job', async () => {
    const { engine, clock } = await open()
    const id = await add(engine)
    const error = new TypeError('no such address')
    await withWorker({ queue: engine, clock }, { mail: () => Promise.reject(error) }, {}, async () => {
      await clock.advance(0)
      const [attempt] = await engine.attempts({ id })
      expect([(await engine.get({ id })).error, attempt?.error]).toEqual(['no such address', error.stack])
    })
  })

  it('a worker fails a job permanently when its result cannot be stored', async () => {
    const { engine, clock } = await open()
    const id = await add(engine)
    const mail = () => 'x'.repeat(2 ** 21)
    await withWorker({ queue: engine, clock }, { mail }, {}, async () => {
      await clock.advance(0)
      const job = await engine.get({ id })
      expect(job).toMatchObject({ status: 'failed', attempts: 1 })
      expect(job.error).toMatch(/^The result of this job cannot be stored: result is/)
    })
  })

  it('a worker extends all leases with one call', async () => {
    const { engine, clock, store } = await open()
    await addMany(engine, 3)
    const gate = gated(null)
    await withWorker({ queue: engine, clock }, { mail: gate.handler }, { leaseMs: 3_000 }, async () => {
      await clock.advance(0)
      store.reset()
      await clock.advance(1_000)
      const beats = store.committed.flat().filter(({ kind }) => kind === 'heartbeat')
      expect(beats).toMatchObject([{ leases: [{}, {}, {}], leaseMs: 3_000 }])
      const { jobs } = await engine.list()
      expect(jobs.map(({ leaseUntil }) => leaseUntil)).toEqual(jobs.map(() => clock.now() + 3_000))
    })
  })

  it('a worker aborts a handler whose lease is lost and discards its outcome', async () => {
    const { engine, clock } = await open()
    const id = await add(engine, { maxAttempts: 5 })
    const gate = gated('mine')
    let signal: AbortSignal | null = null
    const mail = (job: { signal: AbortSignal }) => {
      signal = job.signal
      return gate.handler()
    }
    await withWorker({ queue: engine, clock }, { mail }, { leaseMs: 3_000, concurrency: 1 }, async ({ lines }) => {
      await clock.advance(0)
      // The lease expires before the next heartbeat.
      clock.stall(4_000)
      const { engine: other } = await open()
      await other.close()
      await engine.fail({ id, version: 1, error: 'taken over' })
      await clock.advance(2_000)
      expect(signal).toMatchObject({ aborted: true, reason: { reason: 'lost' } })
      gate.open()
      await clock.advance(0)
      expect(await engine.get({ id })).toMatchObject({ status: 'retrying', result: null })
      expect(lines()).toContain('skipped mail: its lease was lost')
    })
  })

  it('a worker aborts the handler of a cancelled job and settles its outcome', async () => {
    const { engine, clock } = await open()
    const [stopped = '', finished = ''] = await addMany(engine, 2)
    const mail = ({ id, signal }: { id: string; signal: AbortSignal }) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => (id === stopped ? reject(signal.reason) : resolve('done anyway')))
      })
    await withWorker({ queue: engine, clock }, { mail }, { leaseMs: 3_000 }, async () => {
      await clock.advance(0)
      await engine.cancel({ id: stopped })
      await engine.cancel({ id: finished })
      await clock.advance(1_000)
      expect(await engine.get({ id: stopped })).toMatchObject({ status: 'cancelled' })
      expect(await engine.get({ id: finished })).toMatchObject({ status: 'completed', result: 'done anyway' })
    })
  })

  it('a worker fails a timed-out attempt, and its slot is free when the handler returns', async () => {
    const { engine, clock } = await open()
    const [slow = '', next = ''] = await addMany(engine, 2, { timeoutMs: 10_000, maxAttempts: 2 })
    const gate = gated(null)
    let reason: unknown
    const mail = ({ id, signal }: { id: string; signal: AbortSignal }) => {
      if (id === next) return 'done'
      signal.addEventListener('abort', () => {
        reason = signal.reason
      })
      return gate.handler()
    }
    await withWorker({ queue: engine, clock }, { mail }, { concurrency: 1, leaseMs: 30_000 }, async ({ worker }) => {
      await clock.advance(9_500)
      expect(reason).toBeInstanceOf(Stopped)
      expect(reason).toMatchObject({ reason: 'timeout' })
      expect(await engine.get({ id: slow })).toMatchObject({ status: 'retrying', error: 'Timed out after 10 s' })
      expect(worker.busy).toBe(1)
      expect(await engine.get({ id: next })).toMatchObject({ status: 'pending' })
      gate.open()
      await clock.advance(0)
      expect(await engine.get({ id: next })).toMatchObject({ status: 'completed' })
      expect(await engine.get({ id: slow })).toMatchObject({ status: 'retrying' })
    })
  })

  it('a worker stores all log lines of a handler before the job ends', async () => {
    const { engine, clock } = await open()
    const id = await add(engine)
    const mail = ({ log, progress }: { log: (line: string) => void; progress: (n: number) => void }) => {
      for (let n = 1; n <= 150; n++) log(`line ${n}`)
      progress(10)
      progress(120)
      setImmediate(() => log('too late'))
    }
    await withWorker({ queue: engine, clock }, { mail }, {}, async () => {
      await clock.advance(0)
      const lines = await engine.logs({ id, limit: 200 })
      expect(lines.map(({ line }) => line)).toEqual(Array.from({ length: 150 }, (_, n) => `line ${n + 1}`))
      expect(await engine.get({ id })).toMatchObject({ status: 'completed', progress: 100 })
    })
  })

  it('a worker drops lines that are logged faster than they can be stored, with a note', async () => {
    const { engine, clock } = await open()
    const id = await add(engine)
    const mail = ({ log }: { log: (line: string) => void }) => {
      for (let n = 1; n <= 2_500; n++) log(`line ${n}`)
    }
    await withWorker({ queue: engine, clock }, { mail }, {}, async () => {
      await until(async () => (await engine.get({ id })).status === 'completed')
      const { lines } = await readAll(engine, id)
      expect(lines.at(-1)).toBe('line 2500')
      expect(lines.length).toBeLessThanOrEqual(2_000)
    })
  })
})

describeEngine('stopping a worker', (open) => {
  it('stop waits for running handlers and claims nothing more', async () => {
    const { engine, clock } = await open()
    const [running = '', waiting = ''] = await addMany(engine, 2)
    const gate = gated('done')
    await withWorker(
      { queue: engine, clock },
      { mail: gate.handler },
      { concurrency: 1 },
      async ({ worker, lines }) => {
        await clock.advance(0)
        const stopped = worker.stop({ graceMs: 60_000 })
        await clock.advance(30_000)
        gate.open()
        await clock.advance(0)
        await stopped
        expect(await engine.get({ id: running })).toMatchObject({ status: 'completed', result: 'done' })
        expect(await engine.get({ id: waiting })).toMatchObject({ status: 'pending', attempts: 0 })
        expect(lines().at(-1)).toBe('stopped')
      },
    )
  })

  it('stop releases unfinished jobs after the grace, uncounted and claimable at once, even if a handler ignores its signal', async () => {
    const { engine, clock } = await open()
    const id = await add(engine)
    const gate = gated('too late')
    await withWorker({ queue: engine, clock }, { mail: gate.handler }, {}, async ({ worker, lines }) => {
      await clock.advance(0)
      const stopped = worker.stop({ graceMs: 5_000 })
      await clock.advance(5_000)
      await stopped
      expect(await engine.get({ id })).toMatchObject({ status: 'pending', attempts: 0, version: 1 })
      expect(lines()).toEqual(['claimed mail', 'released mail', 'stopped'])
      gate.open()
      await clock.advance(0)
      expect(await engine.get({ id })).toMatchObject({ status: 'pending' })
    })
  })

  it('a second stop with no grace takes effect at once', async () => {
    const { engine, clock } = await open()
    const id = await add(engine)
    const gate = gated(null)
    await withWorker({ queue: engine, clock }, { mail: gate.handler }, {}, async ({ worker }) => {
      await clock.advance(0)
      const first = worker.stop({ graceMs: 60_000 })
      const second = worker.stop({ graceMs: 0 })
      await clock.advance(0)
      await Promise.all([first, second])
      expect(await engine.get({ id })).toMatchObject({ status: 'pending', attempts: 0 })
    })
  })

  it('a worker stops when an operator drains it', async () => {
    const { engine, clock } = await open()
    const [running = '', waiting = ''] = await addMany(engine, 2)
    const gate = gated(null)
    await withWorker({ queue: engine, clock }, { mail: gate.handler }, { concurrency: 1 }, async ({ lines }) => {
      await clock.advance(0)
      await engine.drainWorker({ worker: 'w' })
      await clock.advance(10_000)
      gate.open()
      await clock.advance(0)
      expect(await engine.get({ id: running })).toMatchObject({ status: 'completed' })
      expect(await engine.get({ id: waiting })).toMatchObject({ status: 'pending' })
      expect(lines()).toEqual([
        'claimed mail',
        'draining: finishing the claimed jobs, claiming no more',
        'success mail in 10.0 s',
        'stopped',
      ])
    })
  })

  it('a held worker claims jobs after resume', async () => {
    const { engine, clock } = await open()
    await withWorker({ queue: engine, clock }, { mail: () => null }, { waitMs: 1_000 }, async ({ worker }) => {
      worker.hold()
      await clock.advance(1_000)
      const id = await add(engine)
      await clock.advance(5_000)
      expect(await engine.get({ id })).toMatchObject({ status: 'pending' })
      worker.resume()
      await clock.advance(0)
      expect(await engine.get({ id })).toMatchObject({ status: 'completed' })
    })
  })
})

describe('an unreachable queue', () => {
  describeEngine('for a while', (open) => {
    it('a worker on an unreachable queue loses no outcome, runs no job twice and reconnects', async () => {
      const { engine, clock } = await open()
      const [first = '', second = ''] = await addMany(engine, 2)
      const gate = gated('done')
      let isDown = false
      let runs = 0
      const queue: Queue = {
        ...engine,
        // Worst case: the queue has executed the call, and its response is lost.
        async exchange(input, context) {
          const answer = await engine.exchange(input, context)
          if (isDown) throw new QueueError('UNREACHABLE', 'no answer')
          return answer
        },
      }
      const mail = () => {
        runs += 1
        return gate.handler()
      }
      await withWorker({ queue, clock }, { mail }, { concurrency: 1 }, async ({ lines }) => {
        await clock.advance(0)
        isDown = true
        gate.open()
        await clock.advance(2_000)
        isDown = false
        await clock.advance(10_000)
        gate.open()
        await clock.advance(0)
        expect(await engine.get({ id: first })).toMatchObject({ status: 'completed', attempts: 1 })
        expect(await engine.get({ id: second })).toMatchObject({ status: 'completed', attempts: 1 })
        expect(runs).toBe(2)
        expect(lines()[1]).toBe('the queue is unreachable: no answer')
        expect(lines().some((line) => line.startsWith('recovered: the queue is reachable again after'))).toBe(true)
      })
    })
  })
})

async function readAll(engine: Queue, id: string): Promise<{ lines: string[] }> {
  const lines: string[] = []
  for (let after = 0; ; ) {
    const page = await engine.logs({ id, after, limit: 200 })
    const last = page.at(-1)
    if (!last) return { lines }
    lines.push(...page.map(({ line }) => line))
    after = last.id
  }
}
