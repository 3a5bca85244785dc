/** Keys and jobs that another transaction holds: commits neither deadlock with it nor forget what it held. */
import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import type { ClaimOutcome, Op, OpOf } from '../../../server/store/ops.ts'
import { clockTime } from '../../../server/store/postgres/connection/clock.ts'
import { openPostgresStore } from '../../../server/store/postgres/store.ts'
import type { Commit } from '../../../server/store/store.ts'
import { SCHEDULES_GROUP } from '../../../shared/groups/rules.ts'
import { testDatabase } from '../../support/postgres/postgres.ts'
import { TestClock } from '../../support/test-clock.ts'
import { claim, complete, enqueue, heartbeat, plainJob, promote, updateGroup } from '../conformance/fixtures.ts'

/** A commit that waited for a lock of the test would wait for ever. */
const HOLD_ROW = 'SELECT FROM millrace_job_groups WHERE key = $1 FOR UPDATE'
const WAITING = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
const HOLD_SCHEDULE = 'SELECT FROM millrace_schedules WHERE name = $1 FOR UPDATE'
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
  const { commit, claimed, whileSettling } = await open()
  await commit(updateGroup({ set: { concurrency: 1, whenFull: 'cancel' } }))
  await commit(enqueue(plainJob({ groupKey: 'a' })))
  const [lease] = (await claimed()).jobs
  if (!lease) throw new Error('a job is ready')
  const next = plainJob({ groupKey: 'a' })
  const { outcomes } = await whileSettling(lease.id, enqueue(next), HOLD_ROW, 'a')
  expect(outcomes).toEqual([{ ok: true, value: [{ id: next.id, status: 'blocked', deduplicated: false }] }])
  const [beaten] = (await commit(heartbeat([lease]))).outcomes
  expect(beaten).toMatchObject({ ok: true, value: { cancelled: [lease.id] } })
})

it('a tick that cancels running jobs does not hold its schedule while it waits for one of them', async () => {
  const { commit, claimed, whileSettling, clock } = await open()
  const created = createdSchedule(clock.now())
  await commit(created)
  await commit(enqueue(scheduledJob(clock.now())))
  const [lease] = (await claimed()).jobs
  if (!lease) throw new Error('a job is ready')
  const job = scheduledJob(clock.now() + 1)
  const at = clock.now()
  const tick: OpOf<'schedule'> = {
    ...created,
    ...{
      expect: { revision: 1, nextTickAt: at },
      set: { nextTickAt: at + 1, nextRunAt: at + 1, lastTickAt: at },
      dueAt: at,
    },
    ticks: [{ at, dueAt: at, origin: 'tick', outcome: 'enqueued', missed: 0, note: null, job }],
    entry: null,
  }
  const { changes } = await whileSettling(lease.id, tick, HOLD_SCHEDULE, 'nightly')
  expect(changes).toContainEqual(expect.objectContaining({ id: job.id, from: null, to: 'blocked' }))
}, 20_000)

function scheduledJob(at: number) {
  return plainJob({
    ...{ groupName: SCHEDULES_GROUP, groupKey: 'nightly', whenFull: 'cancel' },
    tick: { schedule: 'nightly', at, previous: null, missed: 0, backfill: false },
  })
}

function createdSchedule(at: number): OpOf<'schedule'> {
  return {
    ...{ kind: 'schedule', name: 'nightly', expect: null, dueAt: null, maxRuns: null, ticks: [] },
    set: {
      ...{ nextTickAt: at, nextRunAt: at, owner: 'app', declared: '{}', override: '{}', type: 'report' },
      ...{ pauseAfter: 2, revision: 1 },
    },
    entry: { actor: 'anna', action: 'schedules.create', details: {} },
  }
}

async function open() {
  const url = await testDatabase()
  const clock = new TestClock()
  const store = await openPostgresStore({ url, time: clockTime(clock) })
  onTestFinished(() => store.close())
  const commit = (...ops: Op[]) => store.commit(ops)
  return {
    clock,
    commit,
    /** What one more claim of this commit gets. */
    async claimed(...ops: Op[]): Promise<ClaimOutcome> {
      const outcome = (await commit(...ops, claim())).outcomes.at(-1)
      if (!outcome?.ok) throw new Error('the claim was refused')
      return outcome.value as ClaimOutcome
    },
    /** A commit that settles the job in another transaction: the row of the job first, then what the job belongs to. */
    async whileSettling(id: string, op: Op, held: string, value: string): Promise<Commit> {
      const settling = new Client({ connectionString: url })
      await settling.connect()
      try {
        await settling.query('BEGIN')
        await settling.query(HOLD_JOB, [id])
        const committed = store.commit([op])
        committed.catch(() => {})
        while ((await settling.query(WAITING)).rowCount === 0);
        expect((await settling.query(`${held} NOWAIT`, [value])).rowCount).toBe(1)
        await settling.query('ROLLBACK')
        return await committed
      } finally {
        await settling.end()
      }
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
