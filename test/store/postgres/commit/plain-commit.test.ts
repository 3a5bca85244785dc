/** Plain commits on PostgreSQL decide with the rules in memory; what other nodes have changed since then counts all the same. */
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ClaimedRow, ClaimOutcome } from '../../../../server/store/ops.ts'
import { clockTime, databaseTime } from '../../../../server/store/postgres/connection/clock.ts'
import { openPostgresStore } from '../../../../server/store/postgres/store.ts'
import type { Commit, Store } from '../../../../server/store/store.ts'
import { testDatabase } from '../../../support/postgres/postgres.ts'
import { TestClock } from '../../../support/test-clock.ts'
import { claim, complete, enqueue, plainJob } from '../../conformance/fixtures.ts'

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
async function twoNodes() {
  const clock = new TestClock()
  const url = await testDatabase()
  const [one, other] = [await open(url, clock), await open(url, clock)]
  await one.commit([enqueue(plainJob())])
  await one.commit([enqueue(plainJob())])
  const [job] = jobsOf(await one.commit([claim()]))
  if (!job) throw new Error('a job is ready')
  await one.commit([complete(job)])
  return { one, other, clock }
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
