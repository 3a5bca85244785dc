/** Progress and log lines of a running job. */
import { describe, expect, it } from 'vitest'
import { limits } from '../../../../shared/limits.ts'
import { START } from '../../../support/test-clock.ts'
import type { StoreHarness } from '../../harness.ts'
import { fail, log, nextId, progress } from '../fixtures.ts'
import { eachKit } from '../kit.ts'

export function describeRunning(harness: StoreHarness): void {
  describe('progress', () => {
    const kit = eachKit(harness)

    it('progress is stored, and reset with the next attempt', async () => {
      const lease = await kit().held()
      await kit().advance(30)
      expect(await kit().run(progress(lease, 42.5))).toBeNull()
      expect(await kit().job(lease.id)).toMatchObject({ progress: 42.5, updatedAt: START + 30, status: 'processing' })
      await kit().run(fail(lease, { retryInMs: 0 }))
      await kit().claimOne()
      expect((await kit().job(lease.id)).progress).toBeNull()
    })

    it('progress is a change without a new status', async () => {
      const lease = await kit().held()
      const { changes } = await kit().commit(progress(lease))
      expect(changes).toEqual([{ id: lease.id, type: 'report', from: 'processing', to: 'processing' }])
    })

    it.each(['progress', 'log'] as const)('%s of an unknown job is NOT_FOUND', async (verb) => {
      const lease = { id: nextId(), version: 1 }
      const op = verb === 'progress' ? progress(lease) : log(lease, 'x')
      expect((await kit().refused(op)).code).toBe('NOT_FOUND')
    })
  })

  describe('logs', () => {
    const kit = eachKit(harness)

    it('logs keep lines in order with stream, time and attempt', async () => {
      const lease = await kit().held()
      await kit().advance(20)
      await kit().run({
        kind: 'log',
        id: lease.id,
        version: 1,
        lines: [
          { stream: 'stdout', line: 'first' },
          { stream: 'stderr', line: '' },
        ],
      })
      await kit().run(fail(lease, { retryInMs: 0 }))
      const again = await kit().claimOne()
      await kit().advance(20)
      await kit().run({ kind: 'log', id: lease.id, version: 2, lines: [{ stream: 'log', line: 'wörld 😀' }] })
      const lines = await kit().store.logs(again.id, { after: 0, limit: 100 })
      expect(lines.map(({ id: _id, ...line }) => line)).toEqual([
        { version: 1, stream: 'stdout', at: START + 20, line: 'first', number: 1 },
        { version: 1, stream: 'stderr', at: START + 20, line: '', number: 2 },
        { version: 2, stream: 'log', at: START + 40, line: 'wörld 😀', number: 1 },
      ])
    })

    it('logs are read in pages', async () => {
      const lease = await kit().held()
      await kit().run(log(lease, 'a', 'b', 'c'))
      const first = await kit().store.logs(lease.id, { after: 0, limit: 2 })
      const second = await kit().store.logs(lease.id, { after: first.at(-1)?.id ?? 0, limit: 2 })
      expect([first, second].map((page) => page.map(({ line }) => line))).toEqual([['a', 'b'], ['c']])
    })

    it('logs belong to their job', async () => {
      const [a, b] = [await kit().held(), await kit().held()]
      await kit().run(log(a, 'of a'))
      await kit().run(log(b, 'of b'))
      const lines = await kit().store.logs(b.id, { after: 0, limit: 10 })
      expect(lines.map(({ line }) => line)).toEqual(['of b'])
      expect(await kit().store.logs(nextId(), { after: 0, limit: 10 })).toEqual([])
    })

    it('logs keep the last lines of each attempt up to the limit', async () => {
      const lines = (from: number, n: number) => Array.from({ length: n }, (_, index) => `line ${from + index}`)
      const lease = await kit().held()
      for (let n = 0; n < 11; n++) await kit().run(log(lease, ...lines(n * 100, 100)))
      await kit().run(log(lease, ...lines(1_100, 3)))
      await kit().run(fail(lease, { retryInMs: 0 }))
      await kit().run(log(await kit().claimOne(), 'second attempt'))
      const all = await kit().store.logs(lease.id, { after: 0, limit: 5_000 })
      expect(all).toHaveLength(limits.logLinesPerAttempt + 1)
      expect([all[0]?.line, all.at(-2)?.line, all.at(-1)?.line]).toEqual(['line 103', 'line 1102', 'second attempt'])
      expect([all[0]?.number, all.at(-2)?.number, all.at(-1)?.number]).toEqual([104, 1_103, 1])
    })

    it('logs keep the last lines of a single call beyond the limit', async () => {
      const lease = await kit().held()
      await kit().run(log(lease, ...Array.from({ length: limits.logLinesPerAttempt + 5 }, (_, n) => `${n}`)))
      const all = await kit().store.logs(lease.id, { after: 0, limit: 5_000 })
      expect([all.length, all[0]?.line]).toEqual([limits.logLinesPerAttempt, '5'])
    })
  })
}
