/** Isolation: a job with crashes runs alone in its process. */
import { describe, expect, it } from 'vitest'
import type { OpOf } from '../../../../server/store/ops.ts'
import { JSON_QUEUE_WORKER } from '../../../../shared/sources.ts'
import type { StoreHarness } from '../../harness.ts'
import { claim, complete, enqueue, heartbeat, jobAction, plainJob, release } from '../fixtures.ts'
import { eachKit, type Kit, only } from '../kit.ts'

export function describeIsolation(harness: StoreHarness): void {
  describe('a job with crashes', () => {
    const kit = eachKit(harness, { maxAttempts: 10, crashBudget: 3 })
    const inProcess = (worker: string, process: string): OpOf<'seeWorker'> => ({
      kind: 'seeWorker',
      worker,
      types: [],
      about: { process },
    })

    it('a job with crashes is the only job of its response', async () => {
      const suspect = await crashed(kit())
      const others = await kit().enqueue({}, {})
      expect(await kit().claimIds()).toEqual([suspect])
      expect(await kit().claimIds({ worker: 'worker-2' })).toEqual(others)
    })

    it('a job with crashes blocks other jobs for its worker until it is settled', async () => {
      await crashed(kit())
      const other = await kit().add()
      const lease = await kit().claimOne()
      expect(await kit().run(claim({ limit: 9 }))).toMatchObject({ jobs: [], passedOver: true })
      const [, exchanged] = await kit().outcomes(complete(lease), claim({ limit: 9 }))
      expect(exchanged).toMatchObject({ ok: true, value: { jobs: [{ id: other }] } })
    })

    it('a job with crashes waits for an idle worker, which gets no other job before', async () => {
      const busy = await kit().held({}, { leaseMs: 600_000 })
      const suspect = await crashed(kit())
      await kit().add()
      expect(await kit().run(claim({ limit: 9 }))).toMatchObject({ jobs: [], passedOver: true })
      await kit().run(complete(busy))
      expect(await kit().claimIds()).toEqual([suspect])
    })

    it('a job with crashes is reserved for one busy worker and delays no other', async () => {
      for (const worker of ['worker-1', 'worker-2']) await kit().held({}, { worker, leaseMs: 600_000 })
      const suspect = await crashed(kit())
      const [next] = await kit().enqueue({}, {})
      expect(await kit().claimIds()).toEqual([])
      expect(await kit().claimIds({ worker: 'worker-2', limit: 1 })).toEqual([next])
      expect(await kit().claimIds({ worker: 'worker-3' })).toEqual([suspect])
      expect(await kit().claimIds({ limit: 1 })).toHaveLength(1)
    })

    it('a cancelled job with crashes no longer delays its worker when no job of its type is left', async () => {
      await kit().held({}, { leaseMs: 600_000 })
      const suspect = await crashed(kit(), { type: 'risky', priority: 5 })
      const other = await crashed(kit(), { type: 'risky-too', priority: 4 })
      expect(await kit().claimIds({ worker: 'worker-1' })).toEqual([])
      await kit().run(jobAction('cancel', suspect))
      expect(await kit().claimIds({ worker: 'worker-2' })).toEqual([other])
      const plain = await kit().add()
      expect(await kit().claimIds({ worker: 'worker-1' })).toEqual([plain])
    })

    it('a job with crashes delays a busy worker for a limited time, and again later', async () => {
      const busy = await kit().held({}, { leaseMs: 600_000 })
      const suspect = await crashed(kit())
      await kit().enqueue({}, {}, {})
      expect(await kit().claimIds({ limit: 1 })).toEqual([])
      await kit().advance(30_000)
      expect(await kit().claimIds({ limit: 1 })).toEqual([])
      await kit().advance(30_000)
      expect(await kit().claimIds({ limit: 1, leaseMs: 600_000 })).toHaveLength(1)
      await kit().advance(60_000)
      expect(await kit().claimIds({ limit: 1 })).toEqual([])
      expect((await kit().job(suspect)).status).toBe('pending')
      expect((await kit().job(busy.id)).status).toBe('processing')
    })

    it('a job with crashes keeps its place in claim order', async () => {
      const suspect = await crashed(kit())
      const urgent = await kit().add({ priority: 5 })
      const [later] = await kit().enqueue({}, {})
      expect(await kit().claimIds({ limit: 2 })).toEqual([urgent, later])
      expect(await kit().claimIds({ worker: 'worker-2' })).toEqual([suspect])
    })

    it('a job with crashes runs alone in its process, whichever worker of the process claims', async () => {
      const suspect = await crashed(kit(), { type: 'risky' })
      await kit().add()
      const both = { process: 'host:1', limit: 9 }
      await kit().outcomes(inProcess('a', 'host:1'), inProcess('b', 'host:1'))
      const lease = await kit().claimOne({ ...both, worker: 'a', types: ['risky'] })
      expect(lease.id).toBe(suspect)
      expect(await kit().claimIds({ ...both, worker: 'b', types: ['report'] })).toEqual([])
      await kit().run(release(lease))
      const other = await kit().claimOne({ worker: 'c', process: 'host:2', types: ['report'] })
      expect(other.type).toBe('report')
      expect(await kit().claimIds({ ...both, worker: 'a', types: ['risky'] })).toEqual([suspect])
    })

    it('a job with crashes waits until the other workers of the process are idle as well', async () => {
      const suspect = await crashed(kit(), { type: 'risky' })
      await kit().enqueue({}, {})
      const both = { process: 'host:1', limit: 1 }
      await kit().outcomes(inProcess('a', 'host:1'), inProcess('b', 'host:1'))
      const busy = await kit().claimOne({ ...both, worker: 'b', types: ['report'] })
      expect(await kit().claimIds({ ...both, worker: 'a', types: ['risky'] })).toEqual([])
      expect(await kit().claimIds({ ...both, worker: 'b', types: ['report'] })).toEqual([])
      await kit().run(complete(busy))
      expect(await kit().claimIds({ ...both, worker: 'a', types: ['risky'] })).toEqual([suspect])
    })

    it('a job with crashes does not delay a new process with the name of the crashed worker', async () => {
      await crashed(kit())
      const others = await kit().enqueue({}, {})
      const start = (process: string) => kit().outcomes(inProcess('worker-1', process), claim({ process, limit: 1 }))
      expect((await start('host:1'))[1]).toMatchObject({ ok: true, value: { jobs: [{ crashes: 1 }] } })
      await kit().advance(1_000)
      expect((await start('host:2'))[1]).toMatchObject({ ok: true, value: { jobs: [{ id: others[0] }] } })
      expect(await kit().claimIds({ process: 'host:2', limit: 1 })).toEqual([others[1]])
    })

    it('a job with crashes is confirmed only by a heartbeat with its current version', async () => {
      const suspect = await crashed(kit())
      const lease = await kit().claimOne()
      await kit().run(heartbeat([{ id: suspect, version: lease.version - 1 }]))
      await kit().crash()
      expect(await kit().job(suspect)).toMatchObject({ crashes: 1, attempts: 1 })
    })

    it('a job with crashes uses no slot and no token of its type while it waits', async () => {
      await kit().run(enqueue(plainJob({ type: 'risky' })))
      await kit().override('risky', { maxConcurrency: 1, rate: 0.001, burst: 2 })
      const suspect = only(await kit().claimIds({ types: ['risky'] }))
      await kit().crash()
      const busy = await kit().held({}, { types: ['report'] })
      expect(await kit().claimIds({ types: ['risky', 'report'] })).toEqual([])
      await kit().run(complete(busy))
      expect(await kit().claimIds({ types: ['risky', 'report'] })).toEqual([suspect])
    })

    it('a job with crashes goes to any client of a shared REST worker name, one per response', async () => {
      const suspects = await kit().enqueue({}, {})
      await kit().claimIds()
      await kit().crash()
      const other = await kit().add()
      for (const id of [...suspects, other]) {
        expect(await kit().claimIds({ worker: JSON_QUEUE_WORKER })).toEqual([id])
      }
    })

    it('a job with crashes is returned with its crash count, also when the claim is repeated', async () => {
      await crashed(kit())
      const asked = { requestId: 'request-1' }
      expect(await kit().claimOne(asked)).toMatchObject({ crashes: 1 })
      expect(await kit().claimOne(asked)).toMatchObject({ crashes: 1 })
    })

    it('messages with crashes are claimed together', async () => {
      await kit().enqueue(
        ...Array.from({ length: 3 }, () => ({ type: 'topic', kind: 'message' as const, face: 'messages' })),
      )
      await kit().claimIds({ types: ['topic'] })
      await kit().crash()
      expect(await kit().claimIds({ types: ['topic'] })).toHaveLength(3)
    })
  })
}

/** A pending job whose worker crashed. */
async function crashed(kit: Kit, job: Parameters<Kit['add']>[0] = {}): Promise<string> {
  const { id } = await kit.held(job, { worker: `lost-${kit.clock.now()}`, types: [job.type ?? 'report'] })
  await kit.crash()
  return id
}
