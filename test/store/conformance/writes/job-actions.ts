/** Operator actions on one job in every status. */
import { describe, expect, it } from 'vitest'
import type { OpOf } from '../../../../server/store/ops.ts'
import { STATUSES, type Status } from '../../../../shared/status.ts'
import { START } from '../../../support/test-clock.ts'
import type { StoreHarness } from '../../harness.ts'
import { complete, fail, jobAction, log, nextId } from '../fixtures.ts'
import { eachKit } from '../kit.ts'

type Verb = OpOf<'jobAction'>['action']
type Answer = { readonly status: Status; readonly changed: boolean } | 'WRONG_STATE'

const to = (status: Status): Answer => ({ status, changed: true })
const already = (status: Status): Answer => ({ status, changed: false })

/** Every action in every status: the result, or the code of the refusal. */
const TABLE: Record<Verb, Record<Status, Answer>> = {
  retry: {
    scheduled: 'WRONG_STATE',
    blocked: 'WRONG_STATE',
    pending: 'WRONG_STATE',
    processing: 'WRONG_STATE',
    retrying: to('pending'),
    completed: 'WRONG_STATE',
    failed: to('pending'),
    cancelled: to('pending'),
  },
  runNow: {
    scheduled: to('pending'),
    blocked: already('blocked'),
    pending: already('pending'),
    processing: 'WRONG_STATE',
    retrying: to('pending'),
    completed: 'WRONG_STATE',
    failed: 'WRONG_STATE',
    cancelled: 'WRONG_STATE',
  },
  cancel: {
    scheduled: to('cancelled'),
    blocked: to('cancelled'),
    pending: to('cancelled'),
    processing: to('processing'),
    retrying: to('cancelled'),
    completed: 'WRONG_STATE',
    failed: 'WRONG_STATE',
    cancelled: already('cancelled'),
  },
  remove: {
    scheduled: to('scheduled'),
    blocked: to('blocked'),
    pending: to('pending'),
    processing: 'WRONG_STATE',
    retrying: to('retrying'),
    completed: to('completed'),
    failed: to('failed'),
    cancelled: to('cancelled'),
  },
}
const VERBS = Object.keys(TABLE) as Verb[]
const CASES = VERBS.flatMap((verb) => STATUSES.map((status) => [verb, status, TABLE[verb][status]] as const))

export function describeActs(harness: StoreHarness): void {
  describe('an operator', () => {
    const kit = eachKit(harness)

    it.each(CASES)('%s of a %s job returns %o', async (verb, status, answer) => {
      const id = await kit().jobIn(status)
      const before = await kit().dump(id)
      await kit().advance(400)
      const { outcomes, changes } = await kit().commit(jobAction(verb, id))
      if (answer === 'WRONG_STATE') {
        expect(outcomes).toMatchObject([{ ok: false, error: { code: 'WRONG_STATE', details: { id, status } } }])
      } else expect(outcomes).toEqual([{ ok: true, value: { id, ...answer } }])
      if (answer === 'WRONG_STATE' || !answer.changed) {
        expect(changes).toEqual([])
        expect(await kit().dump(id)).toEqual(before)
      } else {
        expect(changes).toEqual([{ id, type: 'report', from: status, to: verb === 'remove' ? null : answer.status }])
        expect((await kit().store.get(id))?.status).toBe(verb === 'remove' ? undefined : answer.status)
      }
      expect(await kit().counts()).toEqual(await kit().harness.countByStatus())
    })

    it.each(VERBS)('%s of an unknown job is NOT_FOUND', async (verb) => {
      expect((await kit().refused(jobAction(verb, nextId(), 'operator'))).code).toBe('NOT_FOUND')
      expect(await kit().store.audit({ target: null, before: null, limit: 10 })).toEqual([])
    })

    it('retry resets attempts and crashes, never the version', async () => {
      const lease = await kit().held()
      await kit().crash()
      await kit().run(fail(await kit().claimOne(), { retry: false }))
      expect(await kit().job(lease.id)).toMatchObject({ status: 'failed', attempts: 2, crashes: 1, version: 2 })
      await kit().advance(10)
      await kit().run(jobAction('retry', lease.id))
      expect(await kit().job(lease.id)).toMatchObject({
        status: 'pending',
        attempts: 0,
        crashes: 0,
        version: 2,
        error: null,
        runAt: START + 30_010,
        finishedAt: null,
      })
      expect(await kit().claimOne()).toMatchObject({ attempts: 1, version: 3 })
      expect(await kit().store.attempts(lease.id)).toHaveLength(2)
    })

    it('cancel requests the cancellation of a running job only once', async () => {
      const lease = await kit().held()
      await kit().run(jobAction('cancel', lease.id))
      const asked = await kit().dump(lease.id)
      expect(await kit().job(lease.id)).toMatchObject({ cancelRequestedAt: START, leaseUntil: lease.leaseUntil })
      await kit().advance(50)
      expect(await kit().run(jobAction('cancel', lease.id))).toEqual({
        id: lease.id,
        status: 'processing',
        changed: false,
      })
      expect(await kit().dump(lease.id)).toEqual(asked)
    })

    it('remove deletes a job with all its rows', async () => {
      await kit().run(fail(await kit().held(), { retryInMs: 0 }))
      const lease = await kit().claimOne()
      await kit().run(log(lease, 'one', 'two'))
      await kit().run(complete(lease))
      const tables = await kit().harness.countRows()
      expect(Object.entries(tables).filter(([, n]) => n === 0)).toEqual([])
      await kit().run(jobAction('remove', lease.id))
      const left = await kit().harness.countRows()
      expect(Object.entries(left).filter(([, n]) => n > 0)).toEqual([])
      expect(await kit().store.attempts(lease.id)).toEqual([])
      expect((await kit().refused(complete(lease))).code).toBe('NOT_FOUND')
    })

    it('retry refuses a job whose key another job holds', async () => {
      const key = { dedupeKey: 'k', dedupeUntil: 'finished' } as const
      const failed = await kit().jobIn('failed', key)
      const holder = await kit().add(key)
      const before = await kit().dump(failed)
      const error = await kit().refused(jobAction('retry', failed, 'operator'))
      expect([error.code, error.details.holder]).toEqual(['DUPLICATE_KEY', holder])
      expect(await kit().dump(failed)).toEqual(before)
      await kit().run(jobAction('remove', holder))
      expect(await kit().run(jobAction('retry', failed))).toMatchObject({ status: 'pending', changed: true })
    })

    it('retry accepts a job that still holds its key', async () => {
      const failed = await kit().jobIn('failed', { dedupeKey: 'k', dedupeUntil: 'removed' })
      expect(await kit().run(jobAction('retry', failed))).toMatchObject({ status: 'pending' })
    })

    it('an action that changes a job has an audit entry with actor, action and job', async () => {
      const id = await kit().jobIn('scheduled')
      await kit().advance(60)
      await kit().run(jobAction('runNow', id, 'anna'))
      await kit().run(jobAction('cancel', id, 'boris'))
      await kit().run(jobAction('retry', id))
      await kit().refused(jobAction('retry', id, 'clara'))
      const rows = await kit().store.audit({ target: id, before: null, limit: 10 })
      expect(rows.map(({ actor, action, target, at }) => ({ actor, action, target, at }))).toEqual([
        { actor: 'boris', action: 'cancel', target: id, at: START + 60 },
        { actor: 'anna', action: 'runNow', target: id, at: START + 60 },
      ])
    })
  })
}
