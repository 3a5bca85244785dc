/** Plain commits on PostgreSQL decide with the rules in memory; what other nodes have changed since then counts all the same. */
import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ClaimedRow, ClaimOutcome } from '../../../../server/store/ops.ts'
import { clockTime, databaseTime } from '../../../../server/store/postgres/connection/clock.ts'
import { openPostgresStore } from '../../../../server/store/postgres/store.ts'
import type { Commit, Store } from '../../../../server/store/store.ts'
import { WEBHOOK_TYPE } from '../../../../shared/reserved-types.ts'
import { createBareDatabase, testDatabase } from '../../../support/postgres/postgres.ts'
import { START, TestClock } from '../../../support/test-clock.ts'
import { claim, complete, enqueue, fail, plainJob } from '../../conformance/fixtures.ts'

describe('a plain commit', () => {
  it('claims a job that another node scheduled and that is due now', async () => {
    const { one, other, clock } = await twoNodes()
    const later = plainJob({ delayMs: 1_000, priority: 5 })
    await other.commit([enqueue(later)])
    await clock.advance(2_000)
    expect(jobsOf(await one.commit([claim()]))).toMatchObject([{ id: later.id }])
  })

  it('claims nothing for a request whose jobs the same commit completes', async () => {
    const { one } = await twoNodes()
    await one.commit([enqueue(plainJob())])
    const [job] = jobsOf(await one.commit([claim({ requestId: 'first' })]))
    if (!job) throw new Error('a job is ready')
    const commit = await one.commit([complete(job), claim({ requestId: 'first' })])
    expect(commit.outcomes).toMatchObject([
      { ok: true, value: { status: 'completed' } },
      { ok: true, value: { jobs: [] } },
    ])
  })

  it('fails only the operation that is stale, and does the others', async () => {
    const { one, other } = await twoNodes()
    await one.commit([enqueue(plainJob())])
    const [job] = jobsOf(await one.commit([claim({ limit: 1 })]))
    if (!job) throw new Error('a job is ready')
    await other.commit([complete(job)])
    const added = plainJob({ priority: 9 })
    const stale = { id: job.id, version: job.version + 1 }
    const { outcomes } = await one.commit([complete(stale), enqueue(added), claim({ limit: 1 })])
    expect(outcomes).toMatchObject([
      { ok: false, error: { code: 'STALE_CLAIM' } },
      { ok: true, value: [{ id: added.id }] },
      { ok: true, value: { jobs: [{ id: added.id }] } },
    ])
    expect((await one.counts()).get('report')).toMatchObject({ pending: 1, processing: 1, completed: 2 })
  })

  it('sees the limits, the pause and the drain that another node has just set', async () => {
    const { one, other } = await twoNodes()
    await other.commit([{ kind: 'overrideType', name: 'report', set: { maxConcurrency: 1 }, clear: [], actor: 'ada' }])
    await one.commit([enqueue(plainJob(), plainJob())])
    const [job] = jobsOf(await one.commit([claim()]))
    if (!job) throw new Error('a job is ready')
    expect(jobsOf(await one.commit([claim()]))).toEqual([])
    await other.commit([{ kind: 'putSettings', set: { paused: true }, clear: [], actor: 'ada' }])
    expect(jobsOf(await one.commit([complete(job), claim()]))).toEqual([])
    await other.commit([{ kind: 'putSettings', set: {}, clear: ['paused'], actor: 'ada' }])
    await other.commit([{ kind: 'seeWorker', worker: 'worker-1', types: ['report'] }])
    await other.commit([{ kind: 'drainWorker', worker: 'worker-1', drain: true, actor: 'ada' }])
    expect(jobsOf(await one.commit([claim()]))).toEqual([])
    expect(jobsOf(await one.commit([claim({ worker: 'worker-2' })]))).toHaveLength(1)
  })

  it('claims a job of a type that another node has just added', async () => {
    const { one, other } = await twoNodes()
    const job = plainJob({ type: 'new', priority: 1 })
    await other.commit([enqueue(job)])
    expect(jobsOf(await one.commit([claim({ types: null })]))).toMatchObject([{ id: job.id }])
  })

  it('sees rules that were written by hand within a second', async () => {
    const { one, clock, sql } = await twoNodes()
    await one.commit([enqueue(plainJob())])
    await sql(`insert into millrace_settings (key, value, updated_at) values ('paused', 'true', 1)`)
    await clock.advance(1_000)
    expect(jobsOf(await one.commit([claim()]))).toEqual([])
  })

  it('claims a job that the same commit fails and makes ready again', async () => {
    const { one } = await twoNodes()
    await one.commit([enqueue(plainJob({ priority: 9 }))])
    const [job] = jobsOf(await one.commit([claim({ limit: 1 })]))
    if (!job) throw new Error('a job is ready')
    expect(jobsOf(await one.commit([fail(job, { retryInMs: 0 }), claim({ limit: 1 })]))).toMatchObject([{ id: job.id }])
  })

  it('stores a job under the key of a job that the same commit fails', async () => {
    const { one } = await twoNodes()
    const options = { priority: 9, dedupeKey: 'key', dedupeUntil: 'finished' } as const
    await one.commit([enqueue(plainJob(options))])
    const [job] = jobsOf(await one.commit([claim({ limit: 1 })]))
    if (!job) throw new Error('a job is ready')
    const next = plainJob(options)
    const { outcomes } = await one.commit([fail(job, { retry: false }), enqueue(next)])
    expect(outcomes[1]).toMatchObject({ ok: true, value: [{ id: next.id, deduplicated: false }] })
  })

  it('starts a job of a full type in the commit that fails the running one', async () => {
    const { one, other } = await twoNodes()
    await other.commit([{ kind: 'overrideType', name: 'report', set: { maxConcurrency: 1 }, clear: [], actor: 'ada' }])
    const next = plainJob({ priority: 4 })
    await one.commit([enqueue(plainJob({ priority: 5 }), next)])
    const [job] = jobsOf(await one.commit([claim({ limit: 5 })]))
    if (!job) throw new Error('a job is ready')
    const commit = await one.commit([fail(job, { retryInMs: 60_000 }), claim({ limit: 5 })])
    expect(jobsOf(commit)).toMatchObject([{ id: next.id }])
    expect(commit.due.promoteAt).toBe(START + 60_000)
    expect(jobsOf(await other.commit([claim()]))).toEqual([])
  })

  it('enqueues the webhook of a failure, and a claim of the same commit gets it', async () => {
    const { one } = await twoNodes()
    await one.commit([{ kind: 'putSettings', set: { webhookUrl: 'http://127.0.0.1/' }, clear: [], actor: 'ada' }])
    for (let n = 0; n < 2; n++) {
      await one.commit([enqueue(plainJob())])
      const [job] = jobsOf(await one.commit([claim({ limit: 1 })]))
      if (!job) throw new Error('a job is ready')
      const notices = claim({ types: [WEBHOOK_TYPE] })
      expect(jobsOf(await one.commit([fail(job, { retry: false }), notices]))).toMatchObject([{ type: WEBHOOK_TYPE }])
    }
    await one.commit([enqueue(plainJob())])
    const [job] = jobsOf(await one.commit([claim({ limit: 1 })]))
    if (!job) throw new Error('a job is ready')
    const { ready } = await one.commit([fail(job, { retry: false })])
    expect(ready.get(WEBHOOK_TYPE)).toMatchObject({ count: 1 })
  })

  it('is rolled back when a write affects another number of rows', async () => {
    const { one, sql } = await twoNodes(createBareDatabase)
    await one.commit([enqueue(plainJob())])
    const [job] = jobsOf(await one.commit([claim()]))
    if (!job) throw new Error('a job is ready')
    await sql(`create function skip() returns trigger language plpgsql as 'begin return null; end';
      create trigger skip before update on millrace_jobs for each row when (new.status = 'retrying') execute function skip()`)
    const { outcomes } = await one.commit([fail(job, { retryInMs: 60_000 })])
    expect(outcomes).toMatchObject([{ ok: false, error: { code: 'STORE_FAILED' } }])
    expect((await one.counts()).get('report')).toMatchObject({ processing: 1, retrying: 0 })
    expect(await one.attempts(job.id)).toEqual([])
  })

  it('hands out each job once while two nodes complete and claim at the same time', async () => {
    const url = await testDatabase()
    const stores = await Promise.all([open(url), open(url)])
    const jobs = Array.from({ length: 400 }, () => plainJob())
    await stores[0].commit([enqueue(...jobs)])
    const taken: string[] = []
    const drain = async (store: Store, worker: string) => {
      let held: readonly ClaimedRow[] = []
      do {
        const commit = await store.commit([...held.map((job) => complete(job)), claim({ worker, limit: 3 })])
        expect(commit.outcomes.every(({ ok }) => ok)).toBe(true)
        held = jobsOf(commit)
        taken.push(...held.map(({ id }) => id))
      } while (held.length > 0)
    }
    await Promise.all(stores.map((store, n) => drain(store, `worker-${n}`)))
    expect(taken.toSorted()).toEqual(jobs.map(({ id }) => id).toSorted())
    expect((await stores[1].counts()).get('report')).toMatchObject({ pending: 0, processing: 0, completed: 400 })
  })
})

/** Two nodes on one database that know the type, with a job of it ready. */
async function twoNodes(create?: typeof createBareDatabase) {
  const clock = new TestClock()
  const url = await testDatabase(create)
  const [one, other] = [await open(url, clock), await open(url, clock)]
  await one.commit([enqueue(plainJob())])
  await one.commit([enqueue(plainJob())])
  const [job] = jobsOf(await one.commit([claim()]))
  if (!job) throw new Error('a job is ready')
  await one.commit([complete(job)])
  const sql = async (text: string) => {
    const client = new Client({ connectionString: url })
    await client.connect()
    await client.query(text)
    await client.end()
  }
  return { one, other, clock, sql }
}

async function open(url: string, clock?: TestClock): Promise<Store> {
  const store = await openPostgresStore({ url, time: clock ? clockTime(clock) : databaseTime, onWarning: () => {} })
  onTestFinished(() => store.close())
  return store
}

function jobsOf({ outcomes }: Commit): readonly ClaimedRow[] {
  const last = outcomes.at(-1)
  if (!last?.ok) throw new Error('the claim failed')
  return (last.value as ClaimOutcome).jobs
}
