/** Keys and jobs that another transaction holds: commits neither deadlock with it nor forget what it held. */
import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import type { ClaimOutcome, Op } from '../../../server/store/ops.ts'
import { clockTime } from '../../../server/store/postgres/connection/clock.ts'
import { openPostgresStore } from '../../../server/store/postgres/store.ts'
import { testDatabase } from '../../support/postgres/postgres.ts'
import { TestClock } from '../../support/test-clock.ts'
import { claim, complete, enqueue, heartbeat, plainJob, promote, updateGroup } from '../conformance/fixtures.ts'

/** A commit that waited for a lock of the test would wait for ever. */
const HOLD_ROW = 'SELECT FROM millrace_job_groups WHERE key = $1 FOR UPDATE'
const WAITING = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
const HOLD_JOB = 'SELECT FROM millrace_jobs WHERE id = $1 FOR UPDATE'

it('a commit that holds a later key leaves the job of an earlier key that another transaction holds', async () => {
  const { commit, claimed, hold } = await open()
  await commit(enqueue(plainJob({ groupKey: 'b' })))
  const [lease] = (await claimed()).jobs
  if (!lease) throw new Error('a job is ready')
  await commit(enqueue(plainJob({ groupKey: 'a' })))
  const release = await hold(HOLD_ROW, 'a')
  const left = await claimed(complete(lease))
  expect(left.jobs).toEqual([])
  expect(left.nextEligibleAt).not.toBeNull()
  await release()
  expect((await claimed()).jobs).toHaveLength(1)
})

it('a promotion leaves a job whose key another transaction holds', async () => {
  const { commit, claimed, hold, clock } = await open()
  await commit(enqueue(plainJob({ groupKey: 'b' }), plainJob({ groupKey: 'a', delayMs: 10 })))
  const [lease] = (await claimed()).jobs
  if (!lease) throw new Error('a job is ready')
  const release = await hold(HOLD_ROW, 'a')
  await clock.advance(10)
  const { due } = await commit(complete(lease), promote)
  expect(due.promoteAt).toBe(clock.now())
  await release()
  await commit(promote)
  expect((await claimed()).jobs).toHaveLength(1)
})

it('a blocked job that another transaction holds is handed on soon after', async () => {
  const { commit, claimed, hold, clock } = await open()
  const next = plainJob({ groupKey: 'a' })
  await commit(updateGroup({ set: { concurrency: 1 } }))
  await commit(enqueue(plainJob({ groupKey: 'a' }), next))
  const [lease] = (await claimed()).jobs
  if (!lease) throw new Error('a job is ready')
  const release = await hold(HOLD_JOB, next.id)
  const { due } = await commit(complete(lease))
  expect(due.promoteAt).toBeGreaterThan(clock.now())
  // It rolls back, so it does not hand on itself.
  await release()
  await clock.advance((due.promoteAt ?? 0) - clock.now())
  expect((await claimed()).jobs.map(({ id }) => id)).toEqual([next.id])
})

it('a commit that holds a dedupe key leaves the job of a key that another transaction holds', async () => {
  const { commit, claimed, hold } = await open()
  await commit(enqueue(plainJob({ groupKey: 'b' })))
  const release = await hold(HOLD_ROW, 'b')
  // An enqueue with the same dedupe key would wait for this commit.
  expect((await claimed(enqueue(plainJob({ groupKey: 'a', dedupeKey: 'k' })))).jobs).toEqual([])
  await release()
  expect((await claimed()).jobs).toHaveLength(1)
})

it('an enqueue that cancels running jobs does not hold their key while it waits for one of them', async () => {
  const { commit, claimed, url } = await open()
  await commit(updateGroup({ set: { concurrency: 1, whenFull: 'cancel' } }))
  await commit(enqueue(plainJob({ groupKey: 'a' })))
  const [lease] = (await claimed()).jobs
  if (!lease) throw new Error('a job is ready')
  // As a commit that settles the job: its row first, then its key.
  const settling = new Client({ connectionString: url })
  await settling.connect()
  await settling.query('BEGIN')
  await settling.query(HOLD_JOB, [lease.id])
  const next = plainJob({ groupKey: 'a' })
  const enqueued = commit(enqueue(next))
  while ((await settling.query(WAITING)).rowCount === 0);
  await expect(settling.query(`${HOLD_ROW} NOWAIT`, ['a']))
    .resolves.toMatchObject({ rowCount: 1 })
    .finally(() => settling.end())
  expect((await enqueued).outcomes).toEqual([
    { ok: true, value: [{ id: next.id, status: 'blocked', deduplicated: false }] },
  ])
  const [beaten] = (await commit(heartbeat([lease]))).outcomes
  expect(beaten).toMatchObject({ ok: true, value: { cancelled: [lease.id] } })
})

async function open() {
  const url = await testDatabase()
  const clock = new TestClock()
  const store = await openPostgresStore({ url, time: clockTime(clock) })
  onTestFinished(() => store.close())
  const commit = (...ops: Op[]) => store.commit(ops)
  return {
    clock,
    url,
    commit,
    /** What one more claim of this commit gets. */
    async claimed(...ops: Op[]): Promise<ClaimOutcome> {
      const outcome = (await commit(...ops, claim())).outcomes.at(-1)
      if (!outcome?.ok) throw new Error('the claim was refused')
      return outcome.value as ClaimOutcome
    },
    /** Locks a row in another transaction, until the returned function is called. */
    async hold(text: string, value: string): Promise<() => Promise<void>> {
      const client = new Client({ connectionString: url })
      await client.connect()
      await client.query('BEGIN')
      const { rowCount } = await client.query(text, [value])
      expect(rowCount).toBe(1)
      return async () => {
        await client.query('ROLLBACK')
        await client.end()
      }
    },
  }
}
