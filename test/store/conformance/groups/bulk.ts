/** Bulk operations on jobs of keys, and their undo. */
import { describe, expect, it } from 'vitest'
import type { OpOf } from '../../../../server/store/ops.ts'
import type { StoreHarness } from '../../harness.ts'
import { complete, fail } from '../fixtures.ts'
import { bulkRow, startBulk } from '../writes/bulk.ts'
import { eachGroupKit, ofKey } from './group-kit.ts'

export function describeGroupBulk(harness: StoreHarness): void {
  describe('a bulk operation on jobs of keys', () => {
    const group = eachGroupKit(harness)
    const kit = () => group().kit

    async function applied(action: OpOf<'bulkStart'>['action'], jobs: readonly string[]): Promise<string> {
      // A removal starts when its undo time is over.
      const id = await startBulk(kit(), action, action === 'remove' ? 0 : 10_000)
      const { cursor: from } = await bulkRow(kit(), id)
      await kit().run({ kind: 'bulkApply', id, from, jobs, cursor: null })
      return id
    }

    async function undo(id: string): Promise<void> {
      await kit().run({ kind: 'bulkUndo', id, actor: 'boris' })
      while ((await kit().run({ kind: 'bulkRevert', id, limit: 2 })).more);
    }

    it('a cancel hands the places on to jobs that it left alone', async () => {
      await group().rules({ concurrency: 2 })
      const ids = await kit().enqueue(...ofKey('a', 6), ...ofKey('b', 3))
      await applied('cancel', [...ids.slice(0, 3), ...ids.slice(6, 7)])
      expect([await group().counts('a'), await group().counts('b')]).toEqual([
        [2, 0, 1],
        [2, 0, 0],
      ])
    })

    it('a cancel of a whole key leaves nothing behind', async () => {
      await group().rules({ concurrency: 2 })
      const ids = await kit().enqueue(...ofKey('a', 6))
      await applied('cancel', ids)
      expect(await group().counts('a')).toEqual([0, 0, 0])
    })

    it('the undo of a cancel keeps to the limit', async () => {
      await group().rules({ concurrency: 2 })
      const ids = await kit().enqueue(...ofKey('a', 5))
      const bulk = await applied('cancel', ids)
      await kit().enqueue(...ofKey('a', 1))
      await undo(bulk)
      expect(await group().counts('a')).toEqual([2, 0, 4])
      for (let n = 0; n < 3; n++) {
        const leases = await kit().claim({ limit: 9 })
        expect(leases).toHaveLength(2)
        await kit().outcomes(...leases.map((lease) => complete(lease)))
      }
    })

    it('a retry of many failed jobs keeps to the limit, and so does its undo', async () => {
      await group().rules({ concurrency: 2 })
      const ids = await kit().enqueue(...ofKey('a', 5))
      for (const _ of ids) await kit().run(fail(await kit().claimOne(), { retry: false }))
      const bulk = await applied('retry', ids)
      expect(await group().counts('a')).toEqual([2, 0, 3])
      await undo(bulk)
      expect(await group().counts('a')).toEqual([0, 0, 0])
      expect(await group().statuses(ids)).toEqual(ids.map(() => 'failed'))
    })

    it('a run now of many delayed jobs keeps to the limit, and so does its undo', async () => {
      await group().rules({ concurrency: 2 })
      const ids = await kit().enqueue(...ofKey('a', 5, { delayMs: 60_000 }))
      const bulk = await applied('runNow', ids)
      expect(await group().counts('a')).toEqual([2, 0, 3])
      await undo(bulk)
      expect(await group().statuses(ids)).toEqual(ids.map(() => 'scheduled'))
    })

    it('a removal hands the places on', async () => {
      await group().rules({ concurrency: 1 })
      const ids = await kit().enqueue(...ofKey('a', 4))
      await applied('remove', ids.slice(0, 2))
      expect(await group().counts('a')).toEqual([1, 0, 1])
    })

    it('the undo of the retry of a job that had stopped its key stops it again', async () => {
      await group().rules({ order: 'strict', onDead: 'stop' })
      const [first = '', second = ''] = await kit().enqueue(...ofKey('a', 2))
      await kit().run(fail(await kit().claimOne(), { retry: false }))
      await undo(await applied('retry', [first]))
      expect(await group().statuses([first, second])).toEqual(['failed', 'blocked'])
      expect(await kit().claimIds()).toEqual([])
    })
  })
}
