/** Explanations: one reason for programs and one sentence for people, for every state a job can be in. */
import { expect, it } from 'vitest'
import { CRASH_ERROR } from '../../shared/lifecycle.ts'
import { MINUTE, SECOND } from '../../shared/limits.ts'
import { add, describeEngine, held, type Opened, take } from '../support/engine.ts'

const claimOf = ({ id, version }: { readonly id: string; readonly version: number }) => ({ id, version })

/** Brings a job into the state, and gives its id. */
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
    await engine.declareTypes({ types: [{ name: 'mail', settings: { maxConcurrency: 1 } }] })
    await held(engine)
    return add(engine)
  },
  async rate_limited({ engine }) {
    await engine.declareTypes({ types: [{ name: 'mail', settings: { rate: 0.1, burst: 1 } }] })
    await held(engine)
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
    ['scheduled', 'scheduled', '90 s from now'],
    ['retrying', 'retrying', 'Attempt 1 of 3 failed; it runs again at 2026-05-17 09:35:05 UTC, 5 min from now'],
    ['queue_paused', 'pending', 'The whole queue is paused'],
    ['type_paused', 'pending', 'Type mail is paused'],
    ['at_max_concurrency', 'pending', '1 jobs of type mail are running'],
    ['rate_limited', 'pending', 'rate limit for type mail'],
    ['no_worker', 'pending', 'no worker that takes type mail'],
    ['ready', 'pending', 'ready for 3 s; 1 other jobs'],
    ['processing', 'processing', 'worker-1 has been running it for 4 s'],
    ['cancelling', 'processing', 'worker-1 was asked to stop it'],
    ['lease_ended', 'processing', 'The lease of worker-1 ended 5 s ago'],
    ['completed', 'completed', 'completed on attempt 1'],
    ['failed', 'failed', 'after 1 of 1 attempts: no route'],
    ['cancelled', 'cancelled', 'cancelled before it finished'],
  ])('gives the reason %s', async (reason, status, text) => {
    const opened = await open()
    const id = (await MAKERS[reason]?.(opened)) ?? ''
    const explanation = await opened.engine.explain({ id })
    expect(explanation).toMatchObject({ id, status, reason })
    expect(explanation.text).toContain(text)
  })

  it('knows which workers take a type', async () => {
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

  it('says that the rate of the whole queue is used up', async () => {
    const { engine } = await open()
    await engine.updateSettings({ set: { rate: 0.1, burst: 1 } })
    await held(engine, { type: 'call' })
    const id = await add(engine)
    expect((await engine.explain({ id })).reason).toBe('rate_limited')
  })

  it('tells why a job ran more than once, the oldest first', async () => {
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
    const last = await take(engine, { worker: 'four' })
    await clock.advance(200)
    await engine.complete(claimOf(last))
    expect((await engine.explain({ id })).history).toEqual([
      'one gave it back after 2 s; that attempt does not count.',
      'two reported a failure after 3 s: no route',
      'three was not heard of again; its lease ended after 1 s.',
      'four completed it after 200 ms.',
    ])
    expect((await engine.attempts({ id })).map(({ error }) => error)).toEqual([null, 'no route', CRASH_ERROR, null])
  })
})
