/** Plain commits with keys: the claims are sent before it is known what the completions hand on. */
import { expect, it, onTestFinished } from 'vitest'
import type { ClaimedRow, ClaimOutcome, NewJob, Op, OpOf } from '../../../../server/store/ops.ts'
import { clockTime } from '../../../../server/store/postgres/connection/clock.ts'
import { openPostgresStore } from '../../../../server/store/postgres/store.ts'
import { SCHEDULES_GROUP } from '../../../../shared/groups/rules.ts'
import { testDatabase } from '../../../support/postgres/postgres.ts'
import { TestClock } from '../../../support/test-clock.ts'
import { claim, complete, enqueue, plainJob, updateGroup } from '../../conformance/fixtures.ts'

it('a claim gets the job that a completion of the same commit hands on, when there is no other', async () => {
  const { commit, first } = await openWithKeys({ concurrency: 1 })
  const [one, next, last] = ofKey('a', 3)
  await commit(enqueue(one, next, last))
  const [lease] = await first()
  const { outcomes } = await commit(complete(lease), claim({ requestId: 'second', limit: 5 }))
  expect(jobsOf(outcomes[1]).map(({ id }) => id)).toEqual([next.id])
})

it('claims get the jobs that were ready and those that are handed on', async () => {
  const { commit, first } = await openWithKeys({ concurrency: 1 })
  const [one, next] = ofKey('a', 2)
  const other = plainJob({ groupKey: 'b' })
  await commit(enqueue(one, next))
  const [lease] = await first()
  await commit(enqueue(other))
  const { outcomes } = await commit(complete(lease), claim({ limit: 1 }), claim({ worker: 'other', limit: 3 }))
  expect(outcomes.slice(1).map((outcome) => jobsOf(outcome).map(({ id }) => id))).toEqual([[other.id], [next.id]])
})

it('a job of a higher priority that is handed on is claimed before one that was ready', async () => {
  const { commit, first } = await openWithKeys({ concurrency: 1 })
  const one = plainJob({ groupKey: 'a', priority: 9 })
  const urgent = plainJob({ groupKey: 'a', priority: 5 })
  await commit(enqueue(one, urgent))
  const [lease] = await first()
  await commit(enqueue(plainJob({ groupKey: 'b' })))
  const { outcomes } = await commit(complete(lease), claim({ limit: 1 }))
  expect(jobsOf(outcomes[1]).map(({ id }) => id)).toEqual([urgent.id])
})

it('a claim hands on the next job of a key with a smaller window than its concurrency', async () => {
  const { commit } = await openWithKeys({ concurrency: 3, window: 1 })
  const jobs = ofKey('a', 4)
  await commit(enqueue(...jobs))
  for (const job of jobs.slice(0, 3)) {
    const { outcomes } = await commit(claim({ requestId: job.id, limit: 1 }))
    expect(jobsOf(outcomes[0]).map(({ id }) => id)).toEqual([job.id])
  }
  expect(jobsOf((await commit(claim())).outcomes[0])).toEqual([])
})

it('several completions of one key hand on as many jobs, in the order of the line', async () => {
  const { commit, first } = await openWithKeys({ concurrency: 2 })
  const jobs = ofKey('a', 5)
  await commit(enqueue(...jobs))
  const leases = await first(2)
  const { changes } = await commit(...leases.map((lease) => complete(lease)))
  const handed = changes.flatMap(({ id, from, to }) => (from === 'blocked' && to === 'pending' ? [id] : []))
  expect(handed).toEqual([jobs[2].id, jobs[3]?.id])
})

it('a completed job of a schedule changes the schedule, whether its key was expected or not', async () => {
  const { commit, store, clock } = await openWithKeys({ concurrency: 1 })
  const at = clock.now()
  await commit(createdSchedule(at))
  for (const n of [1, 2, 3]) {
    const tick = { schedule: 'nightly', at: at + n, previous: null, missed: 0, backfill: false }
    await commit(enqueue(plainJob({ groupName: SCHEDULES_GROUP, groupKey: 'nightly', tick })))
    const [lease] = jobsOf((await commit(claim({ requestId: `tick-${n}` }))).outcomes[0])
    if (!lease) throw new Error('a job is ready')
    await clock.advance(1_000)
    await commit(complete(lease))
    const [stored] = await store.schedulesNamed({ names: ['nightly'], owner: null })
    expect(stored?.lastSuccessAt).toBe(clock.now())
  }
})

function ofKey(groupKey: string, length: number): readonly [NewJob, NewJob, NewJob, ...NewJob[]] {
  const [one, two, three, ...more] = Array.from({ length: Math.max(3, length) }, () => plainJob({ groupKey }))
  if (!one || !two || !three) throw new Error('there are three')
  return [one, two, three, ...more]
}

function jobsOf(outcome: { readonly ok: boolean; readonly value?: unknown } | undefined): readonly ClaimedRow[] {
  if (!outcome?.ok) throw new Error('the claim was refused')
  return (outcome.value as ClaimOutcome).jobs
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

/** A store that knows that the jobs of the type have keys. */
async function openWithKeys(set: NonNullable<OpOf<'updateGroup'>['set']>) {
  const clock = new TestClock()
  const store = await openPostgresStore({ url: await testDatabase(), time: clockTime(clock) })
  onTestFinished(() => store.close())
  const commit = (...ops: Op[]) => store.commit(ops)
  const first = async (limit = 1) => {
    const [lease, ...more] = jobsOf((await commit(claim({ requestId: 'first', limit }))).outcomes[0])
    if (!lease) throw new Error('a job is ready')
    return [lease, ...more] as const
  }
  await commit(updateGroup({ set }), enqueue(plainJob({ groupKey: 'known' })))
  const [known] = jobsOf((await commit(claim())).outcomes[0])
  if (!known) throw new Error('a job is ready')
  await commit(complete(known))
  return { store, commit, clock, first }
}
