/** Reads of jobs and counts, from rows written by the test. */
import { describe, expect, it } from 'vitest'
import { emptyHistogram } from '../../../shared/stats/histogram.ts'
import { emptyCounts } from '../../../shared/status.ts'
import { idOf, type MakeRows } from './rows.ts'

export function describeJobReads(makeRows: MakeRows): void {
  describe('jobs', () => {
    it('reads every column of a job', async () => {
      const rows = makeRows()
      const columns = {
        ...{
          seq: 71,
          id: idOf(72),
          priority: 73,
          attempts: 74,
          max_attempts: 75,
          crashes: 76,
          version: 77,
          run_at: 78,
        },
        ...{ lease_until: 79, lease_ms: 80, locked_by: 'worker-81', error: 'error-82', progress: 0.83 },
        ...{ dedupe_key: 'key-84', dedupe_until: 'finished', timeout_ms: 85, face: 'face-86', cancel_requested_at: 87 },
        ...{
          backoff: '{"kind":"fixed","baseMs":88,"jitter":0}',
          claim_request_id: 'request-89',
          traceparent: 'trace-90',
          tick: '{"at":99}',
        },
        ...{
          group_name: 'slots-90',
          group_key: 'slot-91',
          expires_at: 92,
          created_at: 93,
          updated_at: 94,
          started_at: 95,
        },
      }
      rows.job({ type: 'type-96', status: 'processing', payload: { p: 97 }, result: [98], columns })
      const summary = {
        ...{
          seq: 71,
          id: idOf(72),
          type: 'type-96',
          status: 'processing',
          priority: 73,
          attempts: 74,
          maxAttempts: 75,
        },
        ...{
          crashes: 76,
          version: 77,
          runAt: 78,
          leaseUntil: 79,
          leaseMs: 80,
          lockedBy: 'worker-81',
          error: 'error-82',
        },
        ...{ progress: 0.83, dedupeKey: 'key-84', dedupeUntil: 'finished', timeoutMs: 85, face: 'face-86' },
        ...{ cancelRequestedAt: 87, backoff: { kind: 'fixed', baseMs: 88, jitter: 0 }, claimRequestId: 'request-89' },
        ...{
          traceparent: 'trace-90',
          groupName: 'slots-90',
          groupKey: 'slot-91',
          expiresAt: 92,
          tick: { at: 99 },
          createdAt: 93,
          updatedAt: 94,
        },
        ...{ startedAt: 95, finishedAt: null },
      }
      const reads = await rows.reads()
      expect(await reads.get(idOf(72))).toEqual({ ...summary, payload: { p: 97 }, result: [98] })
      expect(await reads.getMany([idOf(72), idOf(1)])).toEqual([summary])
      expect(await reads.get(idOf(1))).toBeNull()
    })

    it('reads results of completed jobs only', async () => {
      const rows = makeRows()
      const done = rows.job({ status: 'completed', result: { ok: 1 } })
      const nothing = rows.job({ status: 'completed' })
      const again = rows.job({ status: 'pending', result: 'of an earlier life' })
      expect([...(await (await rows.reads()).results([done, nothing, again, idOf(99)]))]).toEqual([[done, { ok: 1 }]])
    })

    it('reads the attempts and the log lines of one job, in order', async () => {
      const rows = makeRows()
      const id = rows.job()
      const other = rows.job()
      const attempt = { type: 'report', status_after: 'failed' }
      const second = { version: 5, worker: 'w-6', started_at: 7, finished_at: 8, outcome: 'crashed', next_run_at: 9 }
      rows.insert('millrace_job_attempts', {
        seq: 1,
        ...attempt,
        ...second,
        error: 'e 10',
        error_key: 'e <n>',
        exit_code: 11,
      })
      rows.insert('millrace_job_attempts', {
        seq: 1,
        ...attempt,
        version: 2,
        started_at: 3,
        finished_at: 4,
        outcome: 'released',
      })
      rows.insert('millrace_job_attempts', {
        seq: 2,
        ...attempt,
        version: 1,
        started_at: 1,
        finished_at: 1,
        outcome: 'failed',
      })
      rows.batch(() => {
        for (let n = 1; n <= 6; n++) {
          rows.insert('millrace_job_logs', {
            seq: 1 + (n % 2),
            version: 7 - n,
            stream: 'stderr',
            at: 40 + n,
            line: `line ${n}`,
            number: 38 + n,
          })
        }
      })
      const reads = await rows.reads()
      const none = { worker: null, nextRunAt: null, error: null, errorKey: null, exitCode: null }
      expect(await reads.attempts(id)).toEqual([
        { ...none, version: 2, startedAt: 3, finishedAt: 4, outcome: 'released', statusAfter: 'failed' },
        {
          ...{ version: 5, worker: 'w-6', startedAt: 7, finishedAt: 8, outcome: 'crashed', statusAfter: 'failed' },
          ...{ nextRunAt: 9, error: 'e 10', errorKey: 'e <n>', exitCode: 11 },
        },
      ])
      expect(await reads.attempts(idOf(99))).toEqual([])
      expect(await reads.logs(id, { after: 2, limit: 1 })).toEqual([
        { id: 4, version: 3, stream: 'stderr', at: 44, line: 'line 4', number: 42 },
      ])
      expect((await reads.logs(other, { after: 0, limit: 10 })).map((line) => line.id)).toEqual([1, 3, 5])
      expect(await reads.logs(idOf(99), { after: 0, limit: 10 })).toEqual([])
    })
  })

  describe('numbers', () => {
    it('counts by type and status, and ignores unknown statuses', async () => {
      const rows = makeRows()
      for (const status of ['failed', 'failed', 'pending'] as const) rows.job({ status })
      rows.job({ type: 'email', status: 'scheduled' })
      rows.insert('millrace_job_counts', { type: 'email', status: 'parked', n: 9 })
      expect([...(await (await rows.reads()).counts())].sort()).toEqual([
        ['email', { ...emptyCounts(), scheduled: 1 }],
        ['report', { ...emptyCounts(), failed: 2, pending: 1 }],
      ])
    })

    it.each([0, 200])('finds the oldest ready job behind higher priorities, with %i more', async (more) => {
      const rows = makeRows()
      for (let n = 0; n < more; n++) rows.job({ columns: { priority: 3, run_at: 100 + n } })
      for (const [priority, runAt] of [
        [1_000_000, 50],
        [3, 40],
        [3, 45],
        [0, 20],
        [0, 90],
        [-1_000_000, 30],
      ] as const) {
        rows.job({ columns: { priority, run_at: runAt } })
      }
      rows.job({ status: 'scheduled', columns: { run_at: 1 } })
      rows.job({ type: 'email', status: 'completed', columns: { run_at: 2 } })
      rows.job({ type: 'image', columns: { run_at: 70 } })
      expect(Object.fromEntries(await (await rows.reads()).oldestReady())).toEqual({ report: 20, image: 70 })
    })

    it('reads minutes since a minute, of all types or one', async () => {
      const rows = makeRows()
      const row = { enqueued: 1, completed: 2, failed: 3, dead: 4, waits: '[0,5]', runs: '[6]' }
      const filled = (...first: number[]) => [...first, ...emptyHistogram().slice(first.length)]
      const expected = { enqueued: 1, completed: 2, failed: 3, dead: 4, waits: filled(0, 5), runs: filled(6) }
      for (const minute of [12, 10, 11]) rows.insert('millrace_job_minutes', { minute, type: 'report', ...row })
      rows.insert('millrace_job_minutes', { minute: 11, type: 'email', ...row })
      const reads = await rows.reads()
      expect(await reads.minutes({ sinceMinute: 11, type: null })).toEqual([
        { minute: 11, type: 'email', ...expected },
        { minute: 11, type: 'report', ...expected },
        { minute: 12, type: 'report', ...expected },
      ])
      expect(await reads.minutes({ sinceMinute: 12, type: 'report' })).toEqual([
        { minute: 12, type: 'report', ...expected },
      ])
    })
  })
}
