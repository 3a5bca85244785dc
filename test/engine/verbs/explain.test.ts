/** Explanations of every job state: one machine-readable reason and one sentence. */
import { expect, it } from 'vitest'
import { CRASH_ERROR, UNCONFIRMED_ERROR } from '../../../shared/job-errors.ts'
import { MINUTE, SECOND } from '../../../shared/limits.ts'
import { add, describeEngine, held, type Opened, take } from '../../support/engine.ts'

const claimOf = ({ id, version }: { readonly id: string; readonly version: number }) => ({ id, version })

/** Brings a job into the state and returns its id. */
const MAKERS: Record<string, (opened: Opened) => Promise<string>> = {
  scheduled: ({ engine }) => add(engine, { delayMs: 90 * SECOND }),
  async retrying({ engine }) {
    const job = await held(engine)
    await engine.fail({ ...claimOf(job), error: 'no route', retryInMs: 5 * MINUTE })
    return job.id
  },
  async queue_paused({ engine }) {
    const id = await add(engine)
    await engine.pauseType({ name: 'mail' })
    await engine.pause()
    return id
  },
  async type_paused({ engine }) {
    const id = await add(engine)
    await engine.pauseType({ name: 'mail' })
    return id
  },
  async at_max_concurrency({ engine }) {
    await engine.declareTypes({ types: [{ name: 'mail', settings: { maxConcurrency: 2 } }] })
    await held(engine)
    await held(engine)
    await add(engine)
    return add(engine)
  },
  async rate_limited({ engine }) {
    await engine.declareTypes({ types: [{ name: 'mail', settings: { rate: 0.1, burst: 1 } }] })
    await held(engine)
    await add(engine)
    return add(engine)
  },
  async workers_busy({ engine }) {
    await add(engine)
    await add(engine)
    await engine.claim({ worker: 'one', limit: 2, about: { slots: 2 } })
    await held(engine, {}, { worker: 'two', about: { slots: 1 } })
    return add(engine)
  },
  async no_worker({ engine, clock }) {
    await held(engine)
    await clock.advance(2 * MINUTE)
    return add(engine)
  },
  async ready({ engine, clock }) {
    await held(engine)
    await add(engine)
    const id = await add(engine)
    await clock.advance(3 * SECOND)
    return id
  },
  async waits_for_idle_worker({ engine, clock, store }) {
    await held(engine)
    const { id } = await held(engine, {}, { leaseMs: SECOND })
    await clock.advance(SECOND)
    await store.commit([{ kind: 'rescue', limit: 10 }])
    return id
  },
  async set_aside({ engine, clock, store }) {
    const id = await add(engine, { maxAttempts: 10 })
    for (let crash = 0; crash < 3; crash++) {
      const job = await take(engine, { leaseMs: SECOND })
      await engine.heartbeat({ worker: 'worker-1', leases: [claimOf(job)] })
      await clock.advance(SECOND)
      await store.commit([{ kind: 'rescue', limit: 10 }])
    }
    return id
  },
  async processing({ engine, clock }) {
    const { id } = await held(engine)
    await clock.advance(4 * SECOND)
    return id
  },
  async cancelling({ engine }) {
    const { id } = await held(engine)
    await engine.cancel({ id })
    return id
  },
  async lease_ended({ engine, clock }) {
    const { id } = await held(engine, {}, { leaseMs: SECOND })
    await clock.advance(6 * SECOND)
    return id
  },
  async completed({ engine }) {
    const job = await held(engine)
    await engine.complete(claimOf(job))
    return job.id
  },
  async failed({ engine }) {
    const job = await held(engine, { maxAttempts: 1 })
    await engine.fail({ ...claimOf(job), error: 'no route' })
    return job.id
  },
  async cancelled({ engine }) {
    const id = await add(engine)
    await engine.cancel({ id })
    return id
  },
}

describeEngine('explain', (open) => {
  it.each([
    ['scheduled', 'scheduled', 'It is scheduled, and due in 90 s.'],
    ['retrying', 'retrying', 'Attempt 1 of 3 failed; it runs again in 5 min.'],
    ['queue_paused', 'pending', 'The whole queue is paused'],
    ['type_paused', 'pending', 'Type mail is paused'],
    [
      'at_max_concurrency',
      'pending',
      '2 jobs of type mail are running, and its limit is 2 at a time; 1 job of its type is ahead',
    ],
    [
      'rate_limited',
      'pending',
      'The rate limit for type mail (6 per minute, at most 1 at once) is used up for the moment; 1 job of its type is ahead of it, and its turn comes in about 20 s.',
    ],
    ['no_worker', 'pending', 'no worker that takes type mail'],
    ['ready', 'pending', 'ready for 3 s; 1 job of its type is ahead of it. 1 worker takes its type: 1 job is held.'],
    [
      'workers_busy',
      'pending',
      'and all 2 workers that take type mail are busy: 3 of 3 slots are in use; it is the next of its type.',
    ],
    ['waits_for_idle_worker', 'pending', 'waits for a worker that runs nothing else'],
    ['set_aside', 'failed', 'set aside: its worker crashed 3 times while running it'],
    ['processing', 'processing', 'worker-1 has been running it for 4 s'],
    ['cancelling', 'processing', 'worker-1 was asked to stop it'],
    ['lease_ended', 'processing', 'The lease of worker-1 ended 5 s ago'],
    ['completed', 'completed', 'completed on attempt 1'],
    ['failed', 'failed', 'after 1 of 1 attempts: no route'],
    ['cancelled', 'cancelled', 'cancelled before it finished'],
  ])('explain returns the reason %s', async (reason, status, text) => {
    const opened = await open()
    const id = (await MAKERS[reason]?.(opened)) ?? ''
    const explanation = await opened.engine.explain({ id })
    expect(explanation).toMatchObject({ id, status, reason })
    expect(explanation.text).toContain(text)
  })

  it('explain lists the workers that take a type', async () => {
    const { engine } = await open()
    const letter = await add(engine, { type: 'letters', kind: 'message' })
    const reason = async () => (await engine.explain({ id: letter })).reason
    await engine.claim({ worker: 'anything' })
    await engine.claim({ worker: 'mailer', types: ['mail'] })
    expect(await reason()).toBe('no_worker')
    await engine.claim({ worker: 'reader', types: ['letters'], limit: 1 })
    const next = await add(engine, { type: 'letters', kind: 'message' })
    expect((await engine.explain({ id: next })).reason).toBe('ready')
    await engine.drainWorker({ worker: 'reader' })
    expect((await engine.explain({ id: next })).reason).toBe('no_worker')
  })

  it('explain returns the relevant time and the numbers behind a wait', async () => {
    const { engine, clock } = await open()
    const later = await add(engine, { delayMs: 90 * SECOND })
    expect(await engine.explain({ id: later })).toMatchObject({ at: clock.now() + 90 * SECOND, line: null })
    await engine.declareTypes({ types: [{ name: 'mail', settings: { rate: 0.5, burst: 1, maxConcurrency: 9 } }] })
    await held(engine)
    const urgent = await add(engine, { priority: 5 })
    const id = await add(engine)
    const { at, line } = await engine.explain({ id })
    expect(at).toBe(clock.now() + 4 * SECOND)
    expect(line).toEqual({
      ...{ ahead: 1, isMore: false, running: 1, maxConcurrency: 9, rate: 0.5, burst: 1, queueRate: null },
      ...{ estimatedAt: at, workers: 1, busySlots: 1, slots: null },
    })
    expect((await engine.explain({ id: urgent })).line?.ahead).toBe(0)
  })

  it('explain distinguishes a failure without a retry from one that used up its attempts', async () => {
    const { engine, clock } = await open()
    const job = await held(engine, { maxAttempts: 4 })
    await engine.fail({ ...claimOf(job), error: 'no such mailbox', retry: false })
    expect((await engine.explain({ id: job.id })).text).toBe(
      'Its handler failed it for good, without a retry, on attempt 1 of 4: no such mailbox.',
    )
    const spent = await held(engine)
    await engine.declareTypes({ types: [{ name: 'mail', settings: { maxAttempts: 1 } }] })
    await engine.fail({ ...claimOf(spent), error: 'no route' })
    expect((await engine.explain({ id: spent.id })).text).toContain('after 1 of 1 attempts')
    await clock.advance(SECOND)
    await engine.updateType({ name: 'mail', set: { maxAttempts: 5 } })
    expect((await engine.explain({ id: spent.id })).text).toBe(
      'It failed for good on attempt 1 (5 are allowed now): no route.',
    )
  })

  it('explain reports that the rate limit of the queue is used up', async () => {
    const { engine } = await open()
    await engine.updateSettings({ set: { rate: 0.1, burst: 1 } })
    await held(engine, { type: 'call' })
    const id = await add(engine)
    expect(await engine.explain({ id })).toMatchObject({
      reason: 'rate_limited',
      text: 'The rate limit of the whole queue (6 per minute) is used up for the moment; it is the next of its type, and its turn comes in about 10 s.',
    })
  })

  it('explain lists why a job ran more than once, oldest first', async () => {
    const { engine, store, clock } = await open()
    const id = await add(engine)
    const first = await take(engine, { worker: 'one' })
    await clock.advance(2 * SECOND)
    await engine.release(claimOf(first))
    const second = await take(engine, { worker: 'two' })
    await clock.advance(3 * SECOND)
    await engine.fail({ ...claimOf(second), error: 'no route', retryInMs: 0 })
    await take(engine, { worker: 'three', leaseMs: SECOND })
    await clock.advance(SECOND)
    await store.commit([{ kind: 'rescue', limit: 10 }])
    await take(engine, { worker: 'four', leaseMs: SECOND })
    await clock.advance(SECOND)
    await store.commit([{ kind: 'rescue', limit: 10 }])
    const last = await take(engine, { worker: 'five' })
    await clock.advance(200)
    await engine.complete(claimOf(last))
    expect((await engine.explain({ id })).history).toEqual([
      'one gave it back after 2 s; that attempt does not count.',
      'two reported a failure after 3 s: no route',
      'three sent no more heartbeats; its lease ended after 1 s.',
      'four did not confirm that it had received it; the lease ended after 1 s, and that attempt does not count.',
      'five completed it after 200 ms.',
    ])
    expect((await engine.attempts({ id })).map(({ error }) => error)).toEqual([
      null,
      'no route',
      CRASH_ERROR,
      UNCONFIRMED_ERROR,
      null,
    ])
  })
})
