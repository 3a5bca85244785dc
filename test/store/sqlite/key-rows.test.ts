/** Rows of keys that are kept in memory between commits, beside other connections and deletions. */
import { expect, it } from 'vitest'
import type { OpOf } from '../../../server/store/ops.ts'
import { HOUR } from '../../../shared/limits.ts'
import { complete } from '../conformance/fixtures.ts'
import { eachKit } from '../conformance/kit.ts'
import { sqliteHarness } from './harness.ts'

const kit = eachKit(sqliteHarness())

const TRIM: OpOf<'trim'> = {
  ...{ kind: 'trim', minutesOlderThanMs: HOUR, depthsOlderThanMs: HOUR, workersOlderThanMs: HOUR },
  ...{ auditOlderThanMs: HOUR, limit: 100 },
}

const rows = async () =>
  (await kit().harness.keyRows()).rows.map(({ key, pending, processing, blocked }) => [
    key,
    pending,
    processing,
    blocked,
  ])

it('a key that was trimmed and used again does not write to the row of another key', async () => {
  await kit().add({ groupKey: 'first' })
  await kit().run(complete(await kit().claimOne(), null))
  await kit().run(TRIM)
  expect(await rows()).toEqual([])
  await kit().add({ groupKey: 'second' })
  await kit().add({ groupKey: 'first' })
  expect((await rows()).toSorted()).toEqual([
    ['first', 1, 0, 0],
    ['second', 1, 0, 0],
  ])
})

it('a key that another connection has changed is read again', async () => {
  await kit().declare('report', { group: { concurrency: 2 } })
  await kit().add({ groupKey: 'a' })
  const other = await kit().another()
  await other.add({ groupKey: 'a' })
  await other.add({ groupKey: 'a' })
  await kit().add({ groupKey: 'a' })
  expect(await rows()).toEqual([['a', 2, 0, 2]])
})

it('an enqueue of many that is refused leaves the keys of its first jobs alone', async () => {
  await kit().declare('pointed', { group: { key: '/tenant' } })
  await kit().add({ groupKey: 'a' })
  const refused = kit().enqueue({ groupKey: 'a' }, { groupKey: 'new' }, { type: 'pointed', payload: '{"tenant":""}' })
  await expect(refused).rejects.toThrow('payload/tenant must have')
  await kit().add({ groupKey: 'a' })
  expect(await rows()).toEqual([['a', 2, 0, 0]])
})

it('jobs without a group read and write no key, however long the queue runs', async () => {
  await kit().add()
  await kit().run(complete(await kit().claimOne(), null))
  await kit().advance(HOUR)
  expect(await rows()).toEqual([])
})
