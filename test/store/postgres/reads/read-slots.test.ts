/** Bound on concurrent reads: commits never wait for a connection behind reads. */

import { Client } from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
import { databaseTime } from '../../../../server/store/postgres/connection/clock.ts'
import { ReadSlots } from '../../../../server/store/postgres/reads/read-slots.ts'
import { openPostgresStore } from '../../../../server/store/postgres/store.ts'
import { QueueError } from '../../../../shared/errors.ts'
import { refused, until } from '../../../support/engine.ts'
import { testDatabase } from '../../../support/postgres/postgres.ts'
import { enqueue, plainJob } from '../../conformance/fixtures.ts'

test('a commit does not wait for reads that use every connection they may', async () => {
  const url = await testDatabase()
  const store = await openPostgresStore({ url, time: databaseTime, poolSize: 4 })
  onTestFinished(() => store.close())
  const other = new Client({ connectionString: url })
  await other.connect()
  onTestFinished(() => other.end())
  // Reads of sessions wait for this lock. Commits of jobs do not touch the table.
  await other.query('BEGIN; LOCK TABLE millrace_sessions IN ACCESS EXCLUSIVE MODE')
  const reads = Array.from({ length: 20 }, () => store.session('none'))
  const { outcomes } = await store.commit([enqueue(plainJob())])
  expect(outcomes).toMatchObject([{ ok: true }])
  await other.query('ROLLBACK')
  await Promise.all(reads)
})

test('reads start in order as slots become free, also after an error', async () => {
  const slots = new ReadSlots(4)
  const started: number[] = []
  const ends: (() => void)[] = []
  const reads = [0, 1, 2, 3].map((n) =>
    slots.run(async () => {
      started.push(n)
      await new Promise<void>((resolve) => ends.push(resolve))
      if (n === 0) throw new QueueError('BUSY', 'lost')
    }),
  )
  const first = refused(reads[0] ?? Promise.resolve())
  await until(() => started.length === 2)
  ends[0]?.()
  await first
  await until(() => started.length === 3)
  ends[1]?.()
  await until(() => started.length === 4)
  expect(started).toEqual([0, 1, 2, 3])
  for (const end of ends) end()
  await Promise.all(reads.slice(1))
})

test('a read that waits too long is refused, and its slot goes to the next one', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const slots = new ReadSlots(1)
  let end = () => {}
  const first = slots.run(
    () =>
      new Promise<void>((resolve) => {
        end = resolve
      }),
  )
  const second = refused(slots.run(async () => {}))
  vi.advanceTimersByTime(10_000)
  expect(await second).toMatchObject({ code: 'BUSY' })
  const third = slots.run(async () => 3)
  end()
  await first
  expect(await third).toBe(3)
})
