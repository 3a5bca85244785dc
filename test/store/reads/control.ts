/** Reads of failures, settings, workers and audit entries, from rows written by the test. */
import { describe, expect, it } from 'vitest'
import { DAY, HOUR, MINUTE } from '../../../shared/limits.ts'
import { DEFAULTS } from '../../../shared/settings/settings.ts'
import { refusedBy } from '../../support/refusal.ts'
import { START } from '../../support/test-clock.ts'
import { idOf, type MakeRows, type TestRows } from './rows.ts'

export function describeControlReads(makeRows: MakeRows): void {
  describe('failure groups', () => {
    const failed = (rows: TestRows, seq: number, version: number, type: string, errorKey: string, at: number) =>
      rows.insert('millrace_job_attempts', {
        ...{ seq, version, type, started_at: 1, finished_at: at, outcome: 'failed', status_after: 'retrying' },
        ...{ error: `${errorKey} of ${seq}`, error_key: errorKey },
      })

    it('counts by hour, day and week, with the newest as the sample', async () => {
      const rows = makeRows()
      for (let n = 0; n < 5; n++) rows.job()
      failed(rows, 1, 1, 'report', 'quiet', START - 7 * DAY + 1)
      failed(rows, 2, 1, 'report', 'quiet', START - 2 * DAY)
      failed(rows, 2, 2, 'report', 'quiet', START - 7 * DAY)
      failed(rows, 3, 1, 'report', 'loud', START - HOUR + 1)
      failed(rows, 4, 1, 'report', 'loud', START - HOUR)
      failed(rows, 5, 1, 'report', 'loud', START - DAY + 1)
      failed(rows, 5, 2, 'report', 'loud', START - DAY)
      failed(rows, 1, 2, 'email', 'loud', START + MINUTE)
      failed(rows, 5, 3, 'email', 'loud', START + MINUTE)
      const groups = await (await rows.reads()).failureGroups({ type: null, limit: 10 })
      const trend = (hours: Record<number, number>) => Array.from({ length: 24 }, (_, hour) => hours[hour] ?? 0)
      expect(groups).toEqual([
        {
          ...{
            type: 'report',
            errorKey: 'loud',
            lastHour: 1,
            lastDay: 3,
            lastWeek: 4,
            trend: trend({ 0: 1, 22: 1, 23: 1 }),
          },
          ...{ firstSeenAt: START - DAY, lastSeenAt: START - HOUR + 1, sampleId: idOf(3), sampleError: 'loud of 3' },
        },
        {
          ...{ type: 'email', errorKey: 'loud', lastHour: 2, lastDay: 2, lastWeek: 2, trend: trend({ 23: 2 }) },
          ...{ firstSeenAt: START + MINUTE, lastSeenAt: START + MINUTE, sampleId: idOf(5), sampleError: 'loud of 5' },
        },
        {
          ...{ type: 'report', errorKey: 'quiet', lastHour: 0, lastDay: 0, lastWeek: 2, trend: trend({}) },
          ...{
            firstSeenAt: START - 7 * DAY + 1,
            lastSeenAt: START - 2 * DAY,
            sampleId: idOf(2),
            sampleError: 'quiet of 2',
          },
        },
      ])
      expect(await (await rows.reads()).failureGroups({ type: 'report', limit: 1 })).toEqual(groups.slice(0, 1))
    })

    it('counts exactly across windows, even when thousands failed in the same millisecond', async () => {
      const rows = makeRows()
      rows.job()
      rows.batch(() => {
        for (let n = 1; n <= 45_000; n++) failed(rows, 1, n, 'report', `e${n % 3}`, START - (n > 22_000 ? 500 : n))
      })
      const groups = await (await rows.reads()).failureGroups({ type: null, limit: 10 })
      expect(groups.map(({ errorKey, lastHour }) => [errorKey, lastHour]).sort()).toEqual([
        ['e0', 15_000],
        ['e1', 15_000],
        ['e2', 15_000],
      ])
    })
  })

  describe('control', () => {
    it('resolves the settings of types, and ignores keys of newer versions', async () => {
      const rows = makeRows()
      const times = { created_at: 3, updated_at: 4 }
      rows.insert('millrace_settings', { key: 'maxAttempts', value: '6', updated_at: 1 })
      rows.insert('millrace_settings', { key: 'crashBudget', value: '7', updated_at: 1 })
      rows.insert('millrace_settings', { key: 'invented', value: '8', updated_at: 1 })
      rows.insert('millrace_job_types', {
        name: 'b',
        kind: 'command',
        declared: '{"maxAttempts":9,"rate":2}',
        ...times,
      })
      rows.insert('millrace_job_types', {
        name: 'a',
        declared: '{"rate":5}',
        override: '{"rate":null,"paused":true}',
        ...times,
      })
      const reads = await rows.reads({ defaults: { ...DEFAULTS, leaseMs: 10_000 } })
      expect(await reads.settings()).toEqual({ maxAttempts: 6, crashBudget: 7 })
      const [a, b] = await reads.types()
      expect(a).toMatchObject({ name: 'a', kind: 'job', createdAt: 3, updatedAt: 4, declared: { rate: 5 } })
      expect(a?.effective).toMatchObject({ paused: true, rate: null, maxAttempts: 6, crashBudget: 7, leaseMs: 10_000 })
      expect(b).toMatchObject({ name: 'b', kind: 'command', override: {}, effective: { maxAttempts: 9, burst: 2 } })
    })

    it.each(['"yes"', '{'])('refuses a stored setting that is not valid: %s', async (value) => {
      const rows = makeRows()
      rows.insert('millrace_settings', { key: 'maxAttempts', value, updated_at: 1 })
      expect(await refusedBy(async () => (await rows.reads()).settings())).toMatchObject({
        code: 'STORE_FAILED',
        details: { key: 'maxAttempts' },
      })
    })

    it('counts the running jobs of each worker', async () => {
      const rows = makeRows()
      const row = { types: '["x"]', started_at: 1, seen_at: 2 }
      rows.insert('millrace_workers', { name: 'busy', ...row, drain_requested_at: 3, slots: 5, version: 'app 7' })
      rows.insert('millrace_workers', { name: 'idle', ...row })
      for (const worker of ['busy', 'gone', 'busy']) rows.job({ status: 'processing', columns: { locked_by: worker } })
      const worker = { types: ['x'], startedAt: 1, seenAt: 2 }
      expect(await (await rows.reads()).workers()).toEqual([
        { name: 'busy', ...worker, drainRequestedAt: 3, processing: 2, slots: 5, version: 'app 7' },
        { name: 'idle', ...worker, drainRequestedAt: null, processing: 0, slots: null, version: null },
      ])
    })

    it('pages the audit trail backwards, in full or for one target', async () => {
      const rows = makeRows()
      for (let n = 1; n <= 5; n++) {
        const entry = { at: 10 + n, actor: `actor ${n}`, action: 'retry', target: n % 2 ? 'odd' : null }
        rows.insert('millrace_audit', { ...entry, details: JSON.stringify({ n }) })
      }
      const reads = await rows.reads()
      const ids = async (params: Partial<Parameters<typeof reads.audit>[0]>) =>
        (await reads.audit({ target: null, before: null, limit: 2, ...params })).map((row) => row.id)
      const asked = [{}, { before: 4 }, { target: 'odd' }, { target: 'odd', before: 3 }]
      expect(await Promise.all(asked.map(ids))).toEqual([[5, 4], [3, 2], [5, 3], [1]])
      const five = { id: 5, at: 15, actor: 'actor 5', action: 'retry', target: 'odd', details: { n: 5 } }
      expect(await reads.audit({ target: null, before: null, limit: 1 })).toEqual([five])
    })

    it('reads bulk operations, and those that are not finished', async () => {
      const rows = makeRows()
      const row = {
        action: 'retry',
        filter: '{"type":"report"}',
        actor: 'me',
        starts_at: 2,
        undo_until: 3,
        backfill: '{"from":31}',
      }
      const numbers = { cursor: 4, matched: 5, changed: 6, skipped: 7, undone: 8 }
      const states = ['waiting', 'running', 'done', 'cancelled', 'undoing', 'undone']
      states.forEach((state, n) => {
        rows.insert('millrace_bulk_operations', {
          id: `bulk ${state}`,
          state,
          created_at: 20 - n,
          finished_at: 30,
          ...numbers,
          ...row,
        })
      })
      const reads = await rows.reads()
      expect(await reads.bulk('bulk done')).toEqual({
        ...{ id: 'bulk done', action: 'retry', filter: { type: 'report' }, state: 'done', actor: 'me', startsAt: 2 },
        ...{ backfill: { from: 31 }, undoUntil: 3, createdAt: 18, finishedAt: 30, ...numbers },
      })
      expect(await reads.bulk('none')).toBeNull()
      expect((await reads.openBulks()).map((bulk) => bulk.state)).toEqual(['undoing', 'running', 'waiting'])
    })
  })
}
