/** Retention: cleanup of jobs and trim of history. */
import { describe, expect, it } from 'vitest'
import type { OpOf } from '../../../../server/store/ops.ts'
import { DAY, HOUR } from '../../../../shared/limits.ts'
import type { Status } from '../../../../shared/status.ts'
import { STATUSES } from '../../../../shared/status.ts'
import type { StoreHarness } from '../../harness.ts'
import { eachKit } from '../kit.ts'

function cleanup(overrides: Partial<OpOf<'cleanup'>> = {}): OpOf<'cleanup'> {
  return { kind: 'cleanup', status: ['completed'], olderThanMs: null, type: null, limit: 1_000, ...overrides }
}

export function describeCleanup(harness: StoreHarness): void {
  describe('cleanup', () => {
    const kit = eachKit(harness, { retentionMs: 10 * DAY })

    async function oneOfEach(type = 'report'): Promise<Map<Status, string>> {
      const ids = new Map<Status, string>()
      // The pending job last, so that the claims for the others do not take it.
      const order = [...STATUSES.filter((status) => status !== 'pending'), 'pending' as const]
      for (const status of order) ids.set(status, await kit().jobIn(status, { type }))
      return ids
    }

    async function left(ids: ReadonlyMap<Status, string>): Promise<Status[]> {
      const there = await kit().store.getMany([...ids.values()])
      return STATUSES.filter((status) => there.some(({ id }) => id === ids.get(status)))
    }

    it('cleanup removes finished jobs of the given statuses only', async () => {
      const ids = await oneOfEach()
      await kit().advance(20 * DAY)
      expect(await kit().run(cleanup())).toEqual({ removed: 1, more: false })
      expect(await left(ids)).toEqual(STATUSES.filter((status) => status !== 'completed'))
      expect(await kit().run(cleanup({ status: ['failed', 'cancelled', 'completed'] }))).toEqual({
        removed: 2,
        more: false,
      })
      expect(await left(ids)).toEqual(['scheduled', 'blocked', 'pending', 'processing', 'retrying'])
    })

    it('cleanup goes by the time a job finished, not by its creation', async () => {
      const old = await kit().add()
      await kit().advance(30 * DAY)
      await kit().claimIds({ settle: true })
      await kit().advance(10 * DAY - 1)
      expect(await kit().run(cleanup())).toEqual({ removed: 0, more: false })
      await kit().advance(1)
      expect(await kit().run(cleanup())).toEqual({ removed: 1, more: false })
      expect(await kit().store.get(old)).toBeNull()
    })

    it('cleanup uses the retention of each type', async () => {
      await kit().declare('short', { retentionMs: HOUR })
      await kit().declare('none', { retentionMs: 0 })
      const ids = new Map<string, string>()
      for (const type of ['short', 'none', 'usual']) ids.set(type, await kit().jobIn('completed', { type }))
      const there = async () => {
        const jobs = await kit().store.getMany([...ids.values()])
        return jobs.map(({ type }) => type).toSorted()
      }
      expect(await kit().run(cleanup())).toMatchObject({ removed: 1 })
      expect(await there()).toEqual(['short', 'usual'])
      await kit().advance(HOUR)
      await kit().run(cleanup())
      expect(await there()).toEqual(['usual'])
      await kit().advance(10 * DAY)
      await kit().run(cleanup())
      expect(await there()).toEqual([])
    })

    it('cleanup with an age ignores the retention of types', async () => {
      await kit().declare('short', { retentionMs: 1 })
      await kit().jobIn('completed', { type: 'short' })
      await kit().advance(HOUR)
      expect(await kit().run(cleanup({ olderThanMs: 2 * HOUR }))).toEqual({ removed: 0, more: false })
      expect(await kit().run(cleanup({ olderThanMs: HOUR }))).toEqual({ removed: 1, more: false })
    })

    it('cleanup can be limited to one type', async () => {
      await kit().jobIn('completed', { type: 'a' })
      const b = await kit().jobIn('completed', { type: 'b' })
      expect(await kit().run(cleanup({ type: 'a', olderThanMs: 0 }))).toEqual({ removed: 1, more: false })
      expect(await kit().run(cleanup({ type: 'unheard-of', olderThanMs: 0 }))).toEqual({ removed: 0, more: false })
      expect(await kit().status(b)).toBe('completed')
    })

    it('cleanup goes in steps, oldest first, and reports when there are more', async () => {
      const ids: string[] = []
      for (let n = 0; n < 5; n++) {
        ids.push(await kit().jobIn('completed'))
        await kit().advance(10)
      }
      expect(await kit().run(cleanup({ olderThanMs: 0, limit: 2 }))).toEqual({ removed: 2, more: true })
      const there = (await kit().store.getMany(ids)).map(({ id }) => id).toSorted()
      expect(there).toEqual(ids.slice(2))
      expect(await kit().run(cleanup({ olderThanMs: 0, limit: 3 }))).toMatchObject({ removed: 3 })
      expect(await kit().run(cleanup({ olderThanMs: 0, limit: 3 }))).toEqual({ removed: 0, more: false })
    })

    it('cleanup leaves no rows behind and keeps the counts exact', async () => {
      await oneOfEach('a')
      await oneOfEach('b')
      const { changes } = await kit().commit(cleanup({ olderThanMs: 0, status: ['completed', 'failed', 'cancelled'] }))
      expect(changes).toHaveLength(6)
      expect(changes.every(({ to }) => to === null)).toBe(true)
      const rows = await kit().harness.countRows()
      expect(rows).toMatchObject({
        millrace_jobs: 10,
        millrace_job_bodies: 10,
        millrace_job_results: 0,
        millrace_job_attempts: 2,
      })
      expect(await kit().counts()).toEqual(await kit().harness.countByStatus())
    })
  })

  describe('trim', () => {
    const kit = eachKit(harness)
    const trim: OpOf<'trim'> = {
      kind: 'trim',
      minutesOlderThanMs: 3 * DAY,
      depthsOlderThanMs: 4 * DAY,
      workersOlderThanMs: 2 * DAY,
      auditOlderThanMs: 5 * DAY,
      limit: 10,
    }

    it('trim deletes old minutes, workers and audit entries, each by its age', async () => {
      const remains = async () => [
        (await kit().store.minutes({ sinceMinute: 1, type: null })).length,
        (await kit().store.workers()).length,
        (await kit().store.audit({ target: null, before: null, limit: 10 })).length,
      ]
      await kit().add()
      await kit().run({ kind: 'seeWorker', worker: 'worker-1', types: null })
      await kit().run({ kind: 'audit', actor: 'anna', action: 'look', target: null, details: {} })
      await kit().advance(DAY)
      await kit().run(trim)
      expect(await remains()).toEqual([1, 1, 1])
      await kit().advance(DAY + 60_000)
      await kit().run(trim)
      expect(await remains()).toEqual([1, 0, 1])
      await kit().advance(DAY + 60_000)
      await kit().run(trim)
      expect(await remains()).toEqual([0, 0, 1])
      await kit().advance(2 * DAY)
      expect(await kit().run(trim)).toEqual({ more: false })
      expect(await remains()).toEqual([0, 0, 0])
    })

    it('trim keeps the sums of the deleted minutes, by type', async () => {
      const ever = (type: string | null) => kit().store.activity({ sinceMinute: 0, type })
      const finish = async (type: string, durationMs?: number) => {
        const id = await kit().add({ type })
        const [job] = await kit().claim({ types: [type] })
        await kit().advance(500)
        await kit().run({ kind: 'complete', id, version: job?.version ?? 0, result: null, durationMs })
      }
      for (let day = 0; day < 3; day++) {
        await finish('mail', 20)
        await finish('call')
        await kit().advance(DAY)
      }
      const sums = { enqueued: 3, completed: 3, failed: 0, dead: 0 }
      const all = { enqueued: 6, completed: 6, failed: 0, dead: 0, runMs: 1_560 }
      for (let step = 0; step < 4; step++) {
        expect(await ever('mail')).toMatchObject({ ...sums, runMs: 60 })
        expect(await ever('call')).toMatchObject({ ...sums, runMs: 1_500 })
        expect(await ever(null)).toMatchObject(all)
        await kit().advance(2 * DAY)
        await kit().run({ ...trim, limit: 1 })
        await kit().run({ ...trim, limit: 10 })
      }
      expect(await kit().store.minutes({ sinceMinute: 1, type: null })).toEqual([])
    })

    it('trim goes in steps and reports when there are more', async () => {
      for (const worker of ['a', 'b', 'c']) await kit().run({ kind: 'seeWorker', worker, types: null })
      await kit().advance(9 * DAY)
      expect(await kit().run({ ...trim, limit: 2 })).toEqual({ more: true })
      expect(await kit().run({ ...trim, limit: 2 })).toEqual({ more: false })
      expect(await kit().store.workers()).toEqual([])
    })
  })
}
