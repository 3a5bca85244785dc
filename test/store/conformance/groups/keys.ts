/** Group and key of a job. */
import { describe, expect, it } from 'vitest'
import type { StoreHarness } from '../../harness.ts'
import { claim, complete, enqueue, plainJob } from '../fixtures.ts'
import { eachGroupKit, ofKey } from './group-kit.ts'

export function describeGroupKeys(harness: StoreHarness): void {
  describe('the key of a job', () => {
    const group = eachGroupKit(harness)
    const kit = () => group().kit
    const placeOf = async (id: string) => {
      const { groupName, groupKey } = await kit().job(id)
      return [groupName, groupKey]
    }

    it('a job with a key belongs to the group of its type, declared or not', async () => {
      expect(await placeOf(await kit().add({ groupKey: 'a' }))).toEqual(['report', 'a'])
      await group().rules({ concurrency: 1 }, 'mail')
      expect(await placeOf(await kit().add({ type: 'mail', groupKey: 'a' }))).toEqual(['mail', 'a'])
      await group().rules({ name: 'shared' }, 'mail')
      expect(await placeOf(await kit().add({ type: 'mail', groupKey: 'a' }))).toEqual(['shared', 'a'])
      expect(await placeOf(await kit().add({ type: 'mail', groupKey: 'a', groupName: 'own' }))).toEqual(['own', 'a'])
    })

    it('a job without a key has no group, whatever its type declares', async () => {
      await group().rules({ concurrency: 1, name: 'shared' })
      const ids = await kit().enqueue({}, {}, { groupName: 'own' })
      expect(await group().statuses(ids)).toEqual(['pending', 'pending', 'pending'])
      for (const id of ids) expect(await placeOf(id)).toEqual([null, null])
      expect((await kit().harness.keyRows()).rows).toEqual([])
    })

    it.each([
      ['/tenantId', '{"tenantId":"acme"}', 'acme'],
      ['/tenantId', '{"tenantId":42}', '42'],
      ['/tenantId', '{"tenantId":true}', 'true'],
      ['/user/ids/1', '{"user":{"ids":[7,8]}}', '8'],
      ['/a~1b/~0c', '{"a/b":{"~c":"é漢😀"}}', 'é漢😀'],
      ['/tenantId', '{"tenantId":null}', null],
      ['/tenantId', '{"tenantId":{"id":1}}', null],
      ['/tenantId', '{"tenantId":["a"]}', null],
      ['/tenantId', '{"other":1}', null],
      ['/tenantId', '"text"', null],
      ['/tenantId', 'null', null],
      ['/length', '"text"', null],
      ['/constructor/name', '{}', null],
      ['/list/length', '{"list":[1,2]}', null],
    ])('the pointer %s takes the key from %s: %s', async (key, payload, expected) => {
      await group().rules({ key })
      expect(await placeOf(await kit().add({ payload }))).toEqual([expected === null ? null : 'report', expected])
    })

    it('a key of the job wins over the pointer of its type', async () => {
      await group().rules({ key: '/tenantId' })
      expect(await placeOf(await kit().add({ payload: '{"tenantId":"acme"}', groupKey: 'own' }))).toEqual([
        'report',
        'own',
      ])
    })

    it.each([
      ['too long', 'x'.repeat(10_000)],
      ['unprintable', 'a\u0007b'],
    ])('a key in the payload that is %s is refused, and its whole enqueue with it', async (_, tenantId) => {
      await group().rules({ key: '/tenantId', concurrency: 1 })
      const [good, bad] = [{ tenantId: 'acme' }, { tenantId }].map((of) => plainJob({ payload: JSON.stringify(of) }))
      if (!good || !bad) throw new Error('there are two jobs')
      expect((await kit().refused(enqueue(good, bad))).code).toBe('BAD_INPUT')
      expect(await kit().store.get(good.id)).toBeNull()
      expect(await group().counts('acme')).toEqual([0, 0, 0])
    })

    it('types that share a group share its keys and places', async () => {
      await group().rules({ name: 'openai', concurrency: 1 }, 'image')
      await group().rules({ name: 'openai' }, 'text')
      const [image = '', text = ''] = await kit().enqueue(
        { type: 'image', groupKey: 'eu' },
        { type: 'text', groupKey: 'eu' },
      )
      expect(await group().statuses([image, text])).toEqual(['pending', 'blocked'])
      const lease = await kit().claimOne()
      const { changes, ready } = await kit().commit(complete(lease))
      expect(changes.at(-1)).toEqual({ id: text, type: 'text', from: 'blocked', to: 'pending' })
      expect([...ready.keys()]).toContain('text')
    })

    it('of several types that share a group, the first in order of names that declares a rule counts', async () => {
      await group().rules({ name: 'shared', concurrency: 3 }, 'b')
      await group().rules({ name: 'shared', concurrency: 2 }, 'a')
      await group().rules({ name: 'shared', concurrency: 1, window: 1 }, 'c')
      await kit().enqueue(...ofKey('k', 4, { type: 'c' }))
      expect(await group().counts('k', 'shared')).toEqual([1, 0, 3])
      expect(await kit().claimIds()).toHaveLength(1)
      expect(await kit().claimIds()).toHaveLength(1)
      expect(await group().counts('k', 'shared')).toEqual([0, 2, 2])
    })

    it('the same key in two groups has separate places', async () => {
      await group().rules({ concurrency: 1 }, 'a')
      await group().rules({ concurrency: 1 }, 'b')
      const ids = await kit().enqueue({ type: 'a', groupKey: 'k' }, { type: 'b', groupKey: 'k' })
      expect(await group().statuses(ids)).toEqual(['pending', 'pending'])
    })

    it('names and keys with any printable characters are separate', async () => {
      await group().rules({ concurrency: 1 }, 'a')
      const pairs = [
        { groupName: 'a', groupKey: 'b / c' },
        { groupName: 'a / b', groupKey: 'c' },
        { groupName: 'a', groupKey: 'B / c' },
        { groupName: 'a', groupKey: ' b / c' },
        { groupName: "a'", groupKey: '"b%_\\' },
      ]
      await kit().enqueue(...pairs)
      expect((await kit().harness.keyRows()).rows).toHaveLength(pairs.length)
    })

    it('messages and commands have groups too', async () => {
      await kit().run({
        kind: 'declareTypes',
        types: [{ name: 'topic', kind: 'message', declared: { group: { concurrency: 1 } } }],
      })
      const ids = await kit().enqueue(...ofKey('a', 2, { type: 'topic', kind: 'message' }))
      expect(await group().statuses(ids)).toEqual(['pending', 'blocked'])
      const { jobs } = await kit().run(claim({ types: ['topic'], limit: 9 }))
      expect(jobs.map(({ id }) => id)).toEqual(ids.slice(0, 1))
    })
  })
}
