/** Round trips of commits on PostgreSQL: statements are sent together, and COMMIT behind the last of them. */
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ClaimedRow, ClaimOutcome, Op } from '../../../../server/store/ops.ts'
import { databaseTime } from '../../../../server/store/postgres/connection/clock.ts'
import { openPostgresStore } from '../../../../server/store/postgres/store.ts'
import type { Commit } from '../../../../server/store/store.ts'
import { testDatabase } from '../../../support/postgres/postgres.ts'
import { countTrips } from '../../../support/postgres/trips.ts'
import { claim, complete, enqueue, fail, plainJob, release } from '../../conformance/fixtures.ts'

describe('round trips of a commit', () => {
  it('one new job takes two', async () => {
    const { commit } = await open()
    expect((await commit(enqueue(plainJob()))).trips).toBe(2)
  })

  it('many new jobs take two together', async () => {
    const { commit } = await open()
    expect((await commit(...Array.from({ length: 50 }, () => enqueue(plainJob())))).trips).toBe(2)
  })

  it('completing a job and claiming the next one takes two', async () => {
    const { commit } = await open()
    await commit(enqueue(plainJob(), plainJob(), plainJob()))
    let [job] = claimed((await commit(claim({ requestId: 'first' }))).outcomes)
    for (const requestId of ['second', 'third']) {
      if (!job) throw new Error('a job is ready')
      const { trips, outcomes } = await commit(complete(job), claim({ requestId }))
      expect(trips).toBe(2)
      expect(outcomes[0]).toMatchObject({ ok: true, value: { status: 'completed' } })
      job = claimed(outcomes)[0]
    }
    expect(job).toBeDefined()
  })

  it('completing, enqueueing and claiming many jobs takes two', async () => {
    const { commit } = await open()
    await commit(enqueue(...Array.from({ length: 50 }, () => plainJob())))
    const jobs = claimed((await commit(claim({ limit: 50 }))).outcomes)
    const { trips, outcomes } = await commit(
      ...jobs.map((job) => complete(job)),
      ...jobs.map(() => enqueue(plainJob())),
      ...jobs.map((_, n) => claim({ requestId: `request-${n}` })),
    )
    expect(trips).toBe(2)
    expect(claimed(outcomes)).toHaveLength(50)
  })

  it('failing a job and claiming the next one takes two', async () => {
    const { commit } = await open()
    await commit(enqueue(plainJob(), plainJob(), plainJob()))
    let [job] = claimed((await commit(claim({ requestId: 'first' }))).outcomes)
    for (const requestId of ['second', 'third']) {
      if (!job) throw new Error('a job is ready')
      const { trips, outcomes } = await commit(fail(job, { retryInMs: 3_600_000 }), claim({ requestId }))
      expect(trips).toBe(2)
      expect(outcomes[0]).toMatchObject({ ok: true, value: { status: 'retrying' } })
      job = claimed(outcomes)[0]
    }
    expect(job).toBeDefined()
  })

  it('completing a job with a key and claiming the next one takes three at most', async () => {
    const { commit } = await open()
    await commit(enqueue(...Array.from({ length: 8 }, () => plainJob({ groupKey: 'a' }))))
    let [job] = claimed((await commit(claim({ requestId: 'first' }))).outcomes)
    for (const requestId of ['second', 'third']) {
      if (!job) throw new Error('a job is ready')
      const { trips, outcomes } = await commit(complete(job), claim({ requestId }))
      expect(trips).toBeLessThanOrEqual(3)
      job = claimed(outcomes)[0]
    }
    expect(job).toBeDefined()
  })

  it('claiming jobs with keys takes two, completing them two, and both together two', async () => {
    const { commit } = await open()
    const declared = { group: { concurrency: 2 } }
    await commit({ kind: 'declareTypes', types: [{ name: 'report', kind: 'job', declared }] })
    await commit(enqueue(...Array.from({ length: 40 }, (_, n) => plainJob({ groupKey: `key-${n % 8}` }))))
    // The node does not know yet that jobs of this type have keys.
    let jobs = claimed((await commit(claim({ requestId: 'first', limit: 4 }))).outcomes)
    expect((await commit(...jobs.map((job) => complete(job)))).trips).toBe(2)
    const next = await commit(claim({ requestId: 'second', limit: 4 }))
    expect(next.trips).toBe(2)
    jobs = claimed(next.outcomes)
    expect(jobs).toHaveLength(4)
    const last = await commit(...jobs.map((job) => complete(job)), claim({ requestId: 'third', limit: 4 }))
    expect(last.trips).toBe(2)
    expect(claimed(last.outcomes)).toHaveLength(4)
  })

  it('releasing jobs takes two', async () => {
    const { commit } = await open()
    await commit(enqueue(plainJob(), plainJob()))
    const [one, other] = claimed((await commit(claim({ limit: 2 }))).outcomes)
    if (!one || !other) throw new Error('two jobs are ready')
    expect((await commit(release(one))).trips).toBe(2)
    expect((await commit(release(other, 3_600_000), claim())).trips).toBe(2)
  })

  it('settling many jobs in every way, enqueueing and claiming takes two', async () => {
    const { commit } = await open()
    await commit(enqueue(...Array.from({ length: 60 }, () => plainJob())))
    const jobs = claimed((await commit(claim({ limit: 40 }))).outcomes)
    const { trips, outcomes } = await commit(
      ...jobs.map(
        (job, n) => [complete(job), fail(job, { retry: false }), release(job, 60_000)][n % 3] ?? complete(job),
      ),
      ...jobs.map(() => enqueue(plainJob())),
      claim({ limit: 30 }),
    )
    expect(trips).toBe(2)
    expect(claimed(outcomes)).toHaveLength(30)
  })

  it('a settle that is refused costs one more, and the others succeed', async () => {
    const { commit } = await open()
    await commit(enqueue(plainJob(), plainJob()))
    const [one, other] = claimed((await commit(claim({ limit: 2 }))).outcomes)
    if (!one || !other) throw new Error('two jobs are ready')
    const { trips, outcomes } = await commit(fail({ ...one, version: one.version + 1 }), release(other, 60_000))
    expect(outcomes).toMatchObject([{ ok: false, error: { code: 'STALE_CLAIM' } }, { ok: true }])
    expect(trips).toBe(3)
  })

  it.for([{ rate: 1_000, burst: 1_000 }, { maxConcurrency: 100 }])(
    'settling and claiming jobs of a type with %o takes three',
    async (declared) => {
      const { commit } = await open()
      await commit({ kind: 'declareTypes', types: [{ name: 'report', kind: 'job', declared }] })
      await commit(enqueue(plainJob(), plainJob(), plainJob()))
      const [one] = claimed((await commit(claim({ requestId: 'first', limit: 1 }))).outcomes)
      if (!one) throw new Error('a job is ready')
      const next = await commit(complete(one), claim({ requestId: 'second', limit: 1 }))
      expect(next.trips).toBe(3)
      const [other] = claimed(next.outcomes)
      if (!other) throw new Error('a job is ready')
      const last = await commit(fail(other, { retryInMs: 3_600_000 }), claim({ requestId: 'third', limit: 1 }))
      expect(last.trips).toBe(3)
      expect(claimed(last.outcomes)).toHaveLength(1)
      expect((await commit(claim({ limit: 1 }))).trips).toBe(2)
    },
  )

  it('claims under a rate limit of the queue take three', async () => {
    const { commit } = await open()
    await commit({ kind: 'putSettings', set: { rate: 1_000, burst: 1_000 }, clear: [], actor: 'ada' })
    await commit(enqueue(plainJob(), plainJob()))
    const { trips, outcomes } = await commit(claim({ limit: 1 }))
    expect(trips).toBe(3)
    expect(claimed(outcomes)).toHaveLength(1)
  })

  it('a claim that finds nothing takes two', async () => {
    const { commit } = await open()
    expect(await commit(claim())).toMatchObject({ trips: 2, outcomes: [{ ok: true, value: { jobs: [] } }] })
  })
})

/** A store that knows the type of the jobs, on one connection that has no unfinished statement. */
async function open() {
  const trips = await countTrips(await testDatabase())
  const store = await openPostgresStore({ url: trips.url, time: databaseTime, poolSize: 1 })
  onTestFinished(() => store.close())
  await store.commit([enqueue(plainJob())])
  const [job] = claimed((await store.commit([claim()])).outcomes)
  if (!job) throw new Error('a job is ready')
  await store.commit([complete(job)])
  return {
    async commit(...ops: readonly Op[]): Promise<Commit & { readonly trips: number }> {
      let result: Commit | undefined
      const n = await trips.during(async () => {
        result = await store.commit(ops)
      })
      if (!result) throw new Error('the commit has no result')
      return { ...result, trips: n }
    },
  }
}

function claimed(outcomes: Commit['outcomes']): readonly ClaimedRow[] {
  return outcomes.flatMap((outcome) => {
    if (!outcome.ok) throw outcome.error
    const { value } = outcome
    return typeof value === 'object' && value !== null && 'jobs' in value ? (value as ClaimOutcome).jobs : []
  })
}
