/** Undo of bulk operations. */
import { describe, expect, it } from 'vitest'
import type { OpOf } from '../../../../server/store/ops.ts'
import type { Status } from '../../../../shared/status.ts'
import type { StoreHarness } from '../../harness.ts'
import { complete, heartbeat, jobAction, release, rescue } from '../fixtures.ts'
import { eachKit } from '../kit.ts'
import { bulkRow, startBulk } from './bulk.ts'

export function describeBulkUndo(harness: StoreHarness): void {
  describe('undoing a bulk operation', () => {
    const kit = eachKit(harness)

    async function applied(
      action: OpOf<'bulkStart'>['action'],
      jobs: readonly string[],
      undoMs = 10_000,
    ): Promise<string> {
      const id = await startBulk(kit(), action, undoMs)
      const { cursor: from } = await bulkRow(kit(), id)
      await kit().run({ kind: 'bulkApply', id, from, jobs, cursor: null })
      return id
    }

    async function undo(id: string): Promise<void> {
      await kit().run({ kind: 'bulkUndo', id, actor: 'boris' })
      while ((await kit().run({ kind: 'bulkRevert', id, limit: 100 })).more);
    }

    /** All columns but `updatedAt`. */
    async function rowOf(id: string): Promise<Record<string, unknown>> {
      const { updatedAt: _touched, ...row } = await kit().job(id)
      return row
    }

    const CASES: [OpOf<'bulkStart'>['action'], Status][] = [
      ['retry', 'failed'],
      ['retry', 'retrying'],
      ['retry', 'cancelled'],
      ['runNow', 'scheduled'],
      ['runNow', 'retrying'],
      ['cancel', 'scheduled'],
      ['cancel', 'blocked'],
      ['cancel', 'pending'],
      ['cancel', 'retrying'],
      ['cancel', 'processing'],
    ]

    it.each(CASES)('undo restores the job after %s of a %s job', async (action, status) => {
      const job = await kit().jobIn(status, { dedupeKey: 'k', dedupeUntil: 'finished' })
      const before = await rowOf(job)
      await kit().advance(30)
      const id = await applied(action, [job])
      expect(await rowOf(job)).not.toEqual(before)
      await kit().advance(30)
      await undo(id)
      expect(await rowOf(job)).toEqual(before)
      expect(await bulkRow(kit(), id)).toMatchObject({ state: 'undone', undone: 1 })
      expect(await kit().counts()).toEqual(await kit().harness.countByStatus())
    })

    it('undo skips a job that was claimed in between', async () => {
      const [a, b] = [await kit().jobIn('failed'), await kit().jobIn('failed')]
      const id = await applied('retry', [a, b])
      const lease = await kit().claimOne()
      await undo(id)
      expect(await bulkRow(kit(), id)).toMatchObject({ state: 'undone', undone: 1 })
      expect(await kit().status(lease.id)).toBe('processing')
      expect(await kit().run(complete(lease))).toMatchObject({ status: 'completed' })
    })

    it('undo skips a job that ran in between, even when it waits again', async () => {
      const job = await kit().jobIn('failed')
      const id = await applied('retry', [job])
      await kit().run(release(await kit().claimOne()))
      await undo(id)
      expect(await kit().status(job)).toBe('pending')
      expect(await bulkRow(kit(), id)).toMatchObject({ state: 'undone', undone: 0 })
    })

    it('undo skips a job that another operation changed', async () => {
      const job = await kit().jobIn('failed')
      const id = await applied('retry', [job])
      await kit().run(jobAction('cancel', job))
      await undo(id)
      expect(await kit().status(job)).toBe('cancelled')
    })

    it('undo skips a job whose key another job holds', async () => {
      const key = { dedupeKey: 'k', dedupeUntil: 'finished' } as const
      const job = await kit().add(key)
      const id = await applied('cancel', [job])
      await kit().add(key)
      await undo(id)
      expect(await kit().status(job)).toBe('cancelled')
      expect(await bulkRow(kit(), id)).toMatchObject({ state: 'undone', undone: 0 })
    })

    it('undo of a cancel keeps the lease that its worker extended', async () => {
      const lease = await kit().held({}, { leaseMs: 20_000 })
      const id = await applied('cancel', [lease.id])
      await kit().advance(9_000)
      await kit().run(heartbeat([lease]))
      await undo(id)
      expect(await kit().job(lease.id)).toMatchObject({ cancelRequestedAt: null, leaseUntil: lease.leaseUntil + 9_000 })
      await kit().advance(12_000)
      expect(await kit().run(rescue)).toEqual({ rescued: 0, more: false })
    })

    it('undo does not count a job as dead again', async () => {
      const job = await kit().jobIn('failed')
      await undo(await applied('retry', [job]))
      const [minute] = await kit().store.minutes({ sinceMinute: 0, type: 'report' })
      expect(minute).toMatchObject({ enqueued: 1, failed: 1, dead: 1 })
    })

    it('undo goes in steps and reports when there are more', async () => {
      const ids = await kit().enqueue({}, {}, {})
      const id = await applied('cancel', ids)
      await kit().run({ kind: 'bulkUndo', id, actor: 'boris' })
      expect(await bulkRow(kit(), id)).toMatchObject({ state: 'undoing' })
      expect((await kit().store.openBulks()).map((row) => row.id)).toEqual([id])
      expect(await kit().run({ kind: 'bulkRevert', id, limit: 2 })).toEqual({ more: true })
      expect((await kit().store.counts()).get('report')).toMatchObject({ pending: 2, cancelled: 1 })
      expect(await kit().run({ kind: 'bulkRevert', id, limit: 2 })).toEqual({ more: false })
      expect((await kit().store.counts()).get('report')).toMatchObject({ pending: 3, cancelled: 0 })
      expect(await kit().store.openBulks()).toEqual([])
    })

    it('undo also stops a bulk operation that still runs', async () => {
      const ids = await kit().enqueue({}, {})
      const id = await startBulk(kit(), 'cancel')
      const { cursor: from } = await bulkRow(kit(), id)
      await kit().run({ kind: 'bulkApply', id, from, jobs: ids.slice(1), cursor: 2 })
      await undo(id)
      expect(await kit().run({ kind: 'bulkApply', id, from: 2, jobs: ids, cursor: null })).toEqual({
        changed: 0,
        skipped: 0,
      })
      expect((await kit().store.counts()).get('report')).toMatchObject({ pending: 2 })
    })

    it('undo is possible until its time is over', async () => {
      const job = await kit().add()
      const id = await applied('cancel', [job], 5_000)
      await kit().advance(5_001)
      expect((await kit().refused({ kind: 'bulkUndo', id, actor: 'boris' })).code).toBe('WRONG_STATE')
      expect(await kit().status(job)).toBe('cancelled')
    })

    it('undo of a removal is possible only before it starts', async () => {
      const job = await kit().add()
      const waiting = await startBulk(kit(), 'remove', 5_000)
      await undo(waiting)
      expect(await bulkRow(kit(), waiting)).toMatchObject({ state: 'undone' })
      await kit().advance(6_000)
      const { cursor: from } = await bulkRow(kit(), waiting)
      await kit().run({ kind: 'bulkApply', id: waiting, from, jobs: [job], cursor: null })
      expect(await kit().status(job)).toBe('pending')
      const gone = await applied('remove', [job], 0)
      expect((await kit().refused({ kind: 'bulkUndo', id: gone, actor: 'boris' })).code).toBe('WRONG_STATE')
    })

    it('a second undo changes nothing', async () => {
      const id = await applied('cancel', [await kit().add()])
      await undo(id)
      await undo(id)
      expect(await bulkRow(kit(), id)).toMatchObject({ state: 'undone', undone: 1 })
    })
  })
}
