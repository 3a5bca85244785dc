/** A full database: new jobs are refused, no acknowledged job is lost, and it continues once there is space. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openEngine, QueueError } from '../../../../server/index.ts'
import { tempFolder } from '../../../support/temp.ts'

const MIB = 1024 * 1024

test('refuses the jobs of a batch that do not fit, keeps the others, and loses no acknowledged job', async () => {
  const url = `sqlite:${join(await tempFolder(), 'queue.db')}`
  const engine = await openEngine({ url, services: false, maxDatabaseBytes: 4 * MIB })
  const small = await Promise.all(Array.from({ length: 32 }, (_, n) => engine.enqueue({ type: 'small', payload: n })))
  const claimed = await engine.claim({ worker: 'w', types: ['small'], limit: 32 })
  expect(claimed).toHaveLength(32)

  // Larger than the reserve, so that one of them hits the limit in the middle of a batch.
  const large = 'x'.repeat(600_000)
  const [enqueued, completed] = await Promise.all([
    Promise.allSettled(Array.from({ length: 63 }, (_, n) => engine.enqueue({ type: 'large', payload: { n, large } }))),
    Promise.allSettled(claimed.map(({ id, version }) => engine.complete({ id, version, result: 'done' }))),
  ])
  const refused = enqueued.filter((outcome) => outcome.status === 'rejected')
  const stored = enqueued.filter((outcome) => outcome.status === 'fulfilled').map((outcome) => outcome.value.id)
  expect(stored.length).toBeGreaterThan(2)
  expect(refused.length).toBeGreaterThan(5)
  for (const { reason } of refused) expect(reason).toMatchObject({ code: 'DISK_FULL' })
  // Completes run before enqueues and fit into the reserve.
  expect(completed.filter((outcome) => outcome.status === 'rejected')).toEqual([])
  await engine.close()

  const again = await openEngine({ url, services: false })
  const { jobs, total } = await again.list({ type: 'large', limit: 200 })
  expect(jobs.map((job) => job.id).sort()).toEqual([...stored].sort())
  expect(total).toBe(stored.length)
  const { counts } = await again.stats({ type: 'small' })
  expect(counts.completed).toBe(small.length)
  await again.enqueue({ type: 'large', payload: { large } })
  await again.close()
})

test('keeps a reserve so that stored jobs can still be claimed and completed', async () => {
  const url = `sqlite:${join(await tempFolder(), 'queue.db')}`
  const engine = await openEngine({ url, services: false, maxDatabaseBytes: 4 * MIB })
  const payload = 'x'.repeat(3_000)
  let refusal: unknown
  let stored = 0
  while (!refusal) {
    try {
      await engine.enqueue({ type: 'work', payload })
      stored += 1
    } catch (error) {
      refusal = error
    }
  }
  expect(refusal).toBeInstanceOf(QueueError)
  expect(refusal).toMatchObject({ code: 'DISK_FULL' })
  let finished = 0
  for (;;) {
    const jobs = await engine.claim({ worker: 'w', limit: 100 })
    if (jobs.length === 0) break
    const { settled } = await engine.exchange({
      worker: 'w',
      settle: jobs.map(({ id, version }) => ({ kind: 'complete', id, version })),
    })
    finished += settled.filter((outcome) => outcome.ok).length
  }
  expect(finished).toBe(stored)
  await engine.cleanup({ olderThanMs: 0 })
  await expect(engine.enqueue({ type: 'work', payload })).resolves.toMatchObject({ status: 'pending' })
  await engine.close()
})
