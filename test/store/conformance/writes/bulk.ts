/** Bulk operations: one action on all matching jobs, in chunks, with progress, cancel and undo. */
import { describe, expect, it } from 'vitest'
import type { OpOf } from '../../../../server/store/ops.ts'
import type { BulkRow } from '../../../../shared/records.ts'
import { START } from '../../../support/test-clock.ts'
import type { StoreHarness } from '../../harness.ts'
import { nextId } from '../fixtures.ts'
import { eachKit, type Kit } from '../kit.ts'

type Action = OpOf<'bulkStart'>['action']

export async function startBulk(kit: Kit, action: Action, undoMs = 10_000): Promise<string> {
  const id = nextId()
  await kit.run({ kind: 'bulkStart', id, action, filter: { type: 'report' }, undoMs, actor: 'anna' })
  return id
}

export async function bulkRow(kit: Kit, id: string): Promise<BulkRow> {
  const row = await kit.store.bulk(id)
  if (!row) throw new Error(`there is no bulk operation ${id}`)
  return row
}

export function describeBulk(harness: StoreHarness): void {
  describe('a bulk operation', () => {
    const kit = eachKit(harness)
    const apply = async (id: string, jobs: readonly string[], cursor: number | null = null) => {
      const { cursor: from } = await bulkRow(kit(), id)
      return kit().run({ kind: 'bulkApply', id, from, jobs, cursor })
    }

    it('a chunk that another leader has done is not applied again', async () => {
      const ids = await kit().enqueue({}, {})
      const id = await startBulk(kit(), 'cancel')
      const { cursor: from } = await bulkRow(kit(), id)
      const chunk = { kind: 'bulkApply', id, from, jobs: ids.slice(1), cursor: from - 1 } as const
      expect(await kit().run(chunk)).toEqual({ changed: 1, skipped: 0 })
      expect(await kit().run(chunk)).toEqual({ changed: 0, skipped: 0 })
      expect(await bulkRow(kit(), id)).toMatchObject({ matched: 1, changed: 1, skipped: 0, cursor: from - 1 })
    })

    it('a bulk operation starts at the newest job and has an audit entry', async () => {
      await kit().enqueue({}, {}, {})
      await kit().advance(5)
      const id = await startBulk(kit(), 'cancel')
      const row: BulkRow = {
        id,
        action: 'cancel',
        filter: { type: 'report' },
        backfill: null,
        state: 'running',
        actor: 'anna',
        cursor: 4,
        matched: 0,
        changed: 0,
        skipped: 0,
        undone: 0,
        startsAt: START + 5,
        undoUntil: START + 10_005,
        createdAt: START + 5,
        finishedAt: null,
      }
      expect(await kit().store.bulk(id)).toEqual(row)
      expect(await kit().store.openBulks()).toEqual([row])
      expect(await kit().store.audit({ target: id, before: null, limit: 5 })).toMatchObject([
        { actor: 'anna', at: START + 5, details: { type: 'report' } },
      ])
    })

    it('a bulk operation does not change jobs that were enqueued after its start', async () => {
      const before = await kit().enqueue({}, {})
      const { cursor } = await bulkRow(kit(), await startBulk(kit(), 'cancel'))
      await kit().enqueue({}, {})
      const found = await kit().store.match({ filter: { type: 'report' }, before: cursor, limit: 10 })
      expect(found).toEqual({ ids: before.toReversed(), cursor: null })
    })

    it.each([
      ['retry', ['retrying', 'failed', 'cancelled'], 'pending'],
      ['runNow', ['scheduled', 'retrying'], 'pending'],
      ['cancel', ['scheduled', 'pending', 'retrying'], 'cancelled'],
    ] as const)(
      'a bulk %s changes jobs whose status allows it and skips the rest',
      async (action, changeable, after) => {
        const ids: string[] = []
        for (const status of ['scheduled', 'retrying', 'completed', 'failed', 'cancelled', 'pending'] as const) {
          ids.push(await kit().jobIn(status))
        }
        const before = await Promise.all(ids.map((job) => kit().status(job)))
        const id = await startBulk(kit(), action)
        await kit().advance(20)
        const outcome = await apply(id, [...ids, nextId()])
        const { length: changed } = changeable
        expect(outcome).toEqual({ changed, skipped: ids.length + 1 - changed })
        const changes = (status: string | undefined): boolean => changeable.some((some) => some === status)
        expect(await Promise.all(ids.map((job) => kit().status(job)))).toEqual(
          before.map((status) => (changes(status) ? after : status)),
        )
        expect(await bulkRow(kit(), id)).toMatchObject({
          state: 'done',
          matched: ids.length + 1,
          changed,
          skipped: ids.length + 1 - changed,
          finishedAt: START + 20,
        })
        expect(await kit().store.openBulks()).toEqual([])
        expect(await kit().counts()).toEqual(await kit().harness.countByStatus())
      },
    )

    it('a bulk operation goes in chunks and sums its counts', async () => {
      const ids = await kit().enqueue({}, {}, {}, {}, {})
      const id = await startBulk(kit(), 'cancel')
      expect(await apply(id, ids.slice(3).toReversed(), 4)).toEqual({ changed: 2, skipped: 0 })
      expect(await bulkRow(kit(), id)).toMatchObject({ state: 'running', cursor: 4, matched: 2, changed: 2 })
      await apply(id, ids.slice(0, 3).toReversed())
      expect(await bulkRow(kit(), id)).toMatchObject({ state: 'done', matched: 5, changed: 5, skipped: 0 })
      expect(await apply(id, ids)).toEqual({ changed: 0, skipped: 0 })
    })

    it('a bulk operation skips a job whose key another job holds', async () => {
      const key = { dedupeKey: 'k', dedupeUntil: 'finished' } as const
      const failed = await kit().jobIn('failed', key)
      await kit().add(key)
      expect(await apply(await startBulk(kit(), 'retry'), [failed])).toEqual({ changed: 0, skipped: 1 })
      expect(await kit().status(failed)).toBe('failed')
    })

    it('a bulk removal starts when its undo time is over', async () => {
      const ids = await kit().enqueue({}, {})
      const id = await startBulk(kit(), 'remove', 5_000)
      expect(await bulkRow(kit(), id)).toMatchObject({ state: 'waiting', startsAt: START + 5_000 })
      await kit().advance(4_999)
      expect(await apply(id, ids)).toEqual({ changed: 0, skipped: 0 })
      await kit().advance(1)
      expect(await apply(id, ids)).toEqual({ changed: 2, skipped: 0 })
      expect(await kit().harness.countRows()).toMatchObject({ millrace_jobs: 0, millrace_job_bodies: 0 })
    })

    it('a bulk removal skips running jobs', async () => {
      const lease = await kit().held()
      expect(await apply(await startBulk(kit(), 'remove', 0), [lease.id])).toEqual({ changed: 0, skipped: 1 })
    })

    it('a cancelled bulk operation stops and keeps its changes', async () => {
      const ids = await kit().enqueue({}, {}, {})
      const id = await startBulk(kit(), 'cancel')
      await apply(id, ids.slice(0, 1), 2)
      await kit().run({ kind: 'bulkCancel', id, actor: 'boris' })
      expect(await apply(id, ids.slice(1))).toEqual({ changed: 0, skipped: 0 })
      expect(await bulkRow(kit(), id)).toMatchObject({ state: 'cancelled', changed: 1, finishedAt: START })
      expect((await kit().store.counts()).get('report')).toMatchObject({ cancelled: 1, pending: 2 })
      expect(await kit().store.openBulks()).toEqual([])
    })

    it('a bulk operation can be cancelled twice, but not when it is done', async () => {
      const id = await startBulk(kit(), 'cancel')
      await kit().run({ kind: 'bulkCancel', id, actor: 'anna' })
      expect(await kit().run({ kind: 'bulkCancel', id, actor: 'anna' })).toBeNull()
      const done = await startBulk(kit(), 'cancel')
      await apply(done, [])
      expect((await kit().refused({ kind: 'bulkCancel', id: done, actor: 'anna' })).code).toBe('WRONG_STATE')
    })

    it.each(['bulkApply', 'bulkCancel', 'bulkUndo', 'bulkRevert'] as const)(
      '%s of an unknown bulk operation is NOT_FOUND',
      async (kind) => {
        const id = nextId()
        const op = { kind, id, from: 1, jobs: [], cursor: null, actor: 'anna', limit: 5 } as const
        expect((await kit().refused(op)).code).toBe('NOT_FOUND')
      },
    )
  })
}
