/** Commits of many operations: phases, separate outcomes, and the list of changes. */
import { describe, expect, it } from 'vitest'
import type { ClaimOutcome, Op } from '../../../../server/store/ops.ts'
import { START } from '../../../support/test-clock.ts'
import type { StoreHarness } from '../../harness.ts'
import {
  claim,
  complete,
  enqueue,
  fail,
  heartbeat,
  jobAction,
  log,
  nextId,
  plainJob,
  progress,
  promote,
  release,
  rescue,
} from '../fixtures.ts'
import { eachKit } from '../kit.ts'

export function describeBatch(harness: StoreHarness): void {
  describe('a commit', () => {
    const kit = eachKit(harness)

    it('a commit without operations succeeds', async () => {
      const commit = await kit().commit()
      const due = { promoteAt: null, leaseAt: null }
      expect(commit).toMatchObject({ now: START, outcomes: [], changes: [], ready: new Map(), due })
    })

    it('a commit gives every job to one claim only', async () => {
      await kit().enqueue(...Array.from({ length: 700 }, () => ({})))
      const wanted = Array.from({ length: 6 }, (_, n) => claim({ worker: `worker-${n}`, limit: 100 }))
      const { outcomes } = await kit().commit(...wanted)
      const ids = outcomes
        .flatMap((outcome) => (outcome.ok ? (outcome.value as ClaimOutcome).jobs : []))
        .map(({ id }) => id)
      expect([ids.length, new Set(ids).size]).toEqual([600, 600])
      expect(await kit().harness.countByStatus()).toEqual(await kit().store.counts())
      expect(await kit().claim({ limit: 200 })).toHaveLength(100)
    })

    it('a commit refuses only the stale complete among other operations', async () => {
      await kit().enqueue({}, {}, {}, {})
      const [first, second, third] = await kit().claim({ limit: 4 })
      if (!first || !second || !third) throw new Error('three jobs were not claimed')
      const outcomes = await kit().outcomes(
        complete(second),
        release(first),
        complete(first),
        complete(third),
        enqueue(plainJob(), plainJob()),
      )
      expect(outcomes.map(({ ok }) => ok)).toEqual([true, true, false, true, true])
      expect(await kit().status(first.id)).toBe('pending')
      expect((await kit().store.counts()).get('report')).toMatchObject({ pending: 3, completed: 2, processing: 1 })
    })

    it('an operator can remove the job that the same commit completes', async () => {
      const lease = await kit().held()
      const outcomes = await kit().outcomes(complete(lease), jobAction('remove', lease.id))
      expect(outcomes.map(({ ok }) => ok)).toEqual([true, true])
      expect(await kit().store.get(lease.id)).toBeNull()
    })

    it('removing a job frees its key for a retry or a new job in the same commit', async () => {
      const key = { dedupeKey: 'k', dedupeUntil: 'finished' } as const
      const failed = await kit().jobIn('failed', key)
      const holder = await kit().add(key)
      const other = await kit().add({ dedupeKey: 'l' })
      const outcomes = await kit().outcomes(
        jobAction('remove', holder),
        jobAction('remove', holder),
        jobAction('retry', failed),
        jobAction('remove', other),
        enqueue(plainJob({ dedupeKey: 'l' })),
      )
      expect(outcomes.map((outcome) => outcome.ok || outcome.error.code)).toEqual([true, 'NOT_FOUND', true, true, true])
      expect(outcomes.at(-1)).toMatchObject({ value: [{ deduplicated: false }] })
      expect(await kit().status(failed)).toBe('pending')
      expect(await kit().harness.countByStatus()).toEqual(await kit().store.counts())
    })

    it('one failing operation among 64 fails alone, at any position', async () => {
      await kit().enqueue(...Array.from({ length: 64 }, () => ({})))
      const leases = await kit().claim({ limit: 64 })
      for (const bad of [0, 31, 63]) {
        const stale = leases.map((lease, index) => (index === bad ? { ...lease, version: 99 } : lease))
        const outcomes = await kit().outcomes(...stale.map((lease): Op => progress(lease)))
        expect(outcomes.map(({ ok }) => ok)).toEqual(leases.map((_, index) => index !== bad))
      }
      const settled = leases.map((lease, index): Op => complete(index === 31 ? { ...lease, version: 99 } : lease))
      expect((await kit().outcomes(...settled)).filter(({ ok }) => !ok)).toHaveLength(1)
      expect((await kit().store.counts()).get('report')).toMatchObject({ completed: 63, processing: 1 })
      expect(await kit().counts()).toEqual(await kit().harness.countByStatus())
    })

    it('a commit rolls back a refused operation and no other', async () => {
      await kit().add({ type: 'topic', kind: 'message' })
      const [a, b, bad, c] = [plainJob({ type: 'a' }), plainJob({ type: 'b' }), plainJob({ type: 'topic' }), plainJob()]
      const { outcomes, changes, ready } = await kit().commit(enqueue(a), enqueue(b, bad), enqueue(c))
      expect(outcomes.map(({ ok }) => ok)).toEqual([true, false, true])
      expect(changes.map(({ id }) => id)).toEqual([a.id, c.id])
      expect([...ready.keys()].toSorted()).toEqual(['a', 'report'])
      expect((await kit().store.types()).map(({ name }) => name)).toEqual(['a', 'report', 'topic'])
      const later = plainJob({ type: 'b', kind: 'command' })
      expect(await kit().run(enqueue(later))).toMatchObject([{ id: later.id, status: 'pending' }])
      expect(await kit().counts()).toEqual(await kit().harness.countByStatus())
    })

    it('outcomes are in the order of the operations, not of the phases', async () => {
      const lease = await kit().held()
      const job = plainJob()
      const ops: Op[] = [claim({ limit: 5 }), rescue, promote, enqueue(job), complete(lease)]
      const outcomes = await kit().outcomes(...ops)
      expect(outcomes).toEqual([
        { ok: true, value: { jobs: [expect.objectContaining({ id: job.id })], nextEligibleAt: null } },
        { ok: true, value: { rescued: 0, more: false } },
        { ok: true, value: { more: false } },
        { ok: true, value: [{ id: job.id, status: 'pending', deduplicated: false }] },
        { ok: true, value: expect.objectContaining({ id: lease.id, status: 'completed' }) },
      ])
    })

    it('settles and job actions come before inserts: a freed key is free for a new job of the same commit', async () => {
      const key = { dedupeKey: 'k', dedupeUntil: 'finished' } as const
      const lease = await kit().held(key)
      const next = plainJob(key)
      const outcomes = await kit().outcomes(enqueue(next), complete(lease))
      expect(outcomes[0]).toMatchObject({ ok: true, value: [{ id: next.id, deduplicated: false }] })
    })

    it('a claim gets jobs that a job action, a release or a promotion made ready in the same commit', async () => {
      const retried = await kit().jobIn('failed')
      const due = await kit().add({ delayMs: 100 })
      const lease = await kit().held()
      await kit().advance(100)
      const [claimed] = await kit().outcomes(claim({ limit: 9 }), jobAction('retry', retried), release(lease))
      const ids = [lease.id, retried, due].map((id) => expect.objectContaining({ id }))
      expect(claimed).toMatchObject({ ok: true, value: { jobs: expect.arrayContaining(ids) } })
    })

    it('a commit serves several claims in order of arrival', async () => {
      const ids = await kit().enqueue({}, {}, {})
      const claims = ['w1', 'w2', 'w3'].map((worker) => claim({ worker, limit: worker === 'w2' ? 2 : 1 }))
      const outcomes = await kit().outcomes(...claims)
      const got = (...some: (string | undefined)[]) => ({ ok: true, value: { jobs: some.map((id) => ({ id })) } })
      expect(outcomes).toMatchObject([got(ids[0]), got(ids[1], ids[2]), got()])
    })

    it('another connection sees all of a commit or nothing', async () => {
      const other = await kit().another()
      await kit().commit(enqueue(plainJob()), enqueue(plainJob()))
      expect((await other.store.counts()).get('report')).toMatchObject({ pending: 2 })
      expect(await other.store.changedElsewhere()).toBe(true)
      expect(await other.store.changedElsewhere()).toBe(false)
      await other.add()
      expect(await other.store.changedElsewhere()).toBe(false)
    })
  })

  describe('the result of a commit', () => {
    const kit = eachKit(harness)

    it('a commit lists every change once, in order, with both statuses', async () => {
      const lease = await kit().held()
      const [gone, stopped] = await kit().enqueue({ type: 'b' }, { type: 'b', delayMs: 900 })
      const job = plainJob({ type: 'c', delayMs: 50 })
      const { changes, now } = await kit().commit(
        enqueue(job),
        fail(lease, { retryInMs: 10 }),
        jobAction('remove', gone ?? ''),
        jobAction('cancel', stopped ?? ''),
      )
      expect(now).toBe(START)
      expect(changes).toEqual([
        { id: lease.id, type: 'report', from: 'processing', to: 'retrying' },
        { id: gone, type: 'b', from: 'pending', to: null },
        { id: stopped, type: 'b', from: 'scheduled', to: 'cancelled' },
        { id: job.id, type: 'c', from: null, to: 'scheduled' },
      ])
    })

    it('a commit does not list repeats, refusals and duplicates', async () => {
      const lease = await kit().held({ dedupeKey: 'k' })
      await kit().run(log(lease, 'x'))
      await kit().run(complete(lease))
      const { changes } = await kit().commit(
        complete(lease),
        fail(lease),
        jobAction('cancel', nextId()),
        heartbeat([lease]),
        enqueue(plainJob({ dedupeKey: 'k' })),
      )
      expect(changes).toEqual([])
    })

    it('a commit returns the ready jobs of the types it changed', async () => {
      await kit().add({ type: 'untouched' })
      const { ready } = await kit().commit(
        enqueue(plainJob({ type: 'a' }), plainJob({ type: 'a' }), plainJob({ type: 'topic', kind: 'message' })),
        enqueue(plainJob({ type: 'later', delayMs: 5_000 })),
      )
      expect(ready).toEqual(
        new Map([
          ['a', { count: 2, kind: 'job' }],
          ['topic', { count: 1, kind: 'message' }],
        ]),
      )
    })

    it('ready counts respect pause, rate and concurrency limits', async () => {
      await kit().declare('slots', { maxConcurrency: 2 })
      await kit().declare('rate', { rate: 0.001, burst: 3 })
      await kit().declare('paused', { paused: true })
      const five = (type: string) => Array.from({ length: 5 }, () => plainJob({ type }))
      const { ready } = await kit().commit(enqueue(...five('slots'), ...five('rate'), ...five('paused')))
      expect([...ready].map(([type, { count }]) => [type, count]).toSorted()).toEqual([
        ['rate', 3],
        ['slots', 2],
      ])
      expect(await kit().store.ready()).toEqual(ready)
    })

    it('a commit that changes settings returns the ready jobs of all types', async () => {
      await kit().enqueue({ type: 'a' }, { type: 'b' })
      await kit().run({ kind: 'putSettings', set: { paused: true }, clear: [], actor: 'operator' })
      expect(await kit().store.ready()).toEqual(new Map())
      const { ready } = await kit().commit({
        kind: 'putSettings',
        set: { paused: false },
        clear: [],
        actor: 'operator',
      })
      expect([...ready.keys()].toSorted()).toEqual(['a', 'b'])
    })

    it('a commit returns the next due times', async () => {
      const { due } = await kit().commit(enqueue(plainJob({ delayMs: 700 }), plainJob()), claim({ leaseMs: 4_000 }))
      expect(due).toEqual({ promoteAt: START + 700, leaseAt: START + 4_000 })
    })
  })
}
