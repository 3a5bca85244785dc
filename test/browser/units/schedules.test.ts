/** Pure parts of the Schedules page: times as text, form drafts, changes, marks of a day, and rows that keep their places. */
import { describe, expect, it } from 'vitest'
import { BINS, dayStart, dayTicks, marksOf } from '../../../client/features/schedules/day/day-bins.ts'
import { hiddenOverrides, settingRows } from '../../../client/features/schedules/detail/setting-rows.ts'
import { affectedTicks } from '../../../client/features/schedules/form/clock-changes.ts'
import {
  baseOf,
  changeOf,
  type Draft,
  draftOf,
  newBase,
  readDraft,
} from '../../../client/features/schedules/form/draft.ts'
import { toLocalInput } from '../../../client/features/schedules/form/local-input.ts'
import { arrangeRows } from '../../../client/features/schedules/list/held-rows.ts'
import { lastResult, tickDetails } from '../../../client/features/schedules/schedule-state.ts'
import { whenText, whenTitle } from '../../../client/features/schedules/when.ts'
import { scheduleAddress } from '../../../client/lib/schedules-address.ts'
import { DAY, HOUR, MINUTE } from '../../../shared/limits.ts'
import { REDACTED } from '../../../shared/redaction/redaction.ts'
import { describeRule } from '../../../shared/schedules/describe.ts'
import { nextTick } from '../../../shared/schedules/rule.ts'
import type { ScheduleRow, ScheduleSettings, ScheduleTick } from '../../../shared/schedules/schedule.ts'
import { changeOverride, effectiveSchedule } from '../../../shared/schedules/settings.ts'

const NOW = Date.UTC(2026, 10, 19, 5, 30)

function rowOf(
  declared: ScheduleSettings | null,
  override: ScheduleSettings = {},
  more: Partial<ScheduleRow> = {},
): ScheduleRow {
  const effective = effectiveSchedule(declared, override)
  const nextTickAt = nextTick(effective, NOW)
  return {
    ...{ name: 'nightly', owner: declared && 'billing', declared, override, effective, text: describeRule(effective) },
    ...{ state: 'active', nextTickAt, nextRunAt: nextTickAt, lastTickAt: null, runs: 0, failures: 0, paused: null },
    ...{ orphanedAt: null, stopsAt: null, lastSuccessAt: null, lastFailureAt: null, revision: 1 },
    ...{ createdAt: NOW, updatedAt: NOW },
    ...more,
  }
}

const NIGHTLY = { type: 'report', payload: { format: 'pdf' }, cron: '0 3 * * *', timezone: 'Europe/Berlin' }

describe('times of schedules', () => {
  it('are written in English, in the zone of the schedule', () => {
    expect(whenTitle(Date.UTC(2026, 10, 20, 2), 'Europe/Berlin', NOW)).toBe('Tomorrow at 03:00')
    expect(whenText(Date.UTC(2026, 10, 19, 23, 30), 'Europe/Berlin', NOW)).toBe('tomorrow at 00:30')
    expect(whenText(Date.UTC(2026, 10, 19, 23, 30, 5), 'UTC', NOW)).toBe('today at 23:30:05')
    expect(whenText(Date.UTC(2026, 10, 18, 12), 'UTC', NOW)).toBe('yesterday at 12:00')
    expect(whenText(Date.UTC(2026, 10, 18, 12), 'Pacific/Auckland', NOW)).toBe('today at 01:00')
    expect(whenText(Date.UTC(2027, 0, 1, 8), 'UTC', NOW)).toBe('Fri 1 Jan 2027 at 08:00')
  })

  it('are read back from the text of a date input', () => {
    expect(Date.parse(toLocalInput(NOW))).toBe(NOW)
  })
})

describe('form of a schedule', () => {
  const draft = (part: Partial<Draft> = {}) => ({ ...draftOf('nightly', newBase('UTC')), type: 'report', ...part })
  const read = (part: Partial<Draft> = {}, base = newBase('UTC')) => readDraft(draft(part), base, 'job')
  const withTexts = (texts: Record<string, string>) => read({ texts: { ...draft().texts, ...texts } })

  it('is valid for a new schedule with a name and a type', () => {
    const { settings, problems, hasRule } = read()
    expect([problems, hasRule]).toEqual([{}, true])
    expect(settings).toMatchObject({ type: 'report', payload: {}, cron: '0 3 * * *', timezone: 'UTC', overlap: 'skip' })
    expect(settings.every).toBeUndefined()
  })

  it('names what is wrong with a rule while it is typed', () => {
    expect(read({ cron: '0 3 * *' }).problems.cron).toContain('has 4 fields')
    expect(read({ cron: '' }).problems.cron).toContain('Enter a cron expression')
    expect(read({ timezone: 'Europe/Berlinn' }).problems.timezone).toContain('did you mean Europe/Berlin?')
    expect(read({ rule: 'every', every: '45' }).problems.every).toContain('must look like')
    expect(read({ rule: 'every', every: '10ms' }).problems.every).toBe('It must be at least 1s.')
    expect(read({ cron: '0 3 * *' }).hasRule).toBe(false)
  })

  it('reads every option, and names those that are not valid', () => {
    const { settings, problems } = withTexts({
      ...{ spread: '50 %', maxRuns: '7', except: '2026-12-25, 2027-01-01T08:00Z', catchUpWindowMs: '2h' },
      ...{ pauseAfterFailures: '3', priority: '-2', maxAttempts: '', timeoutMs: '90s', expiresInMs: '1d' },
    })
    expect(problems).toEqual({})
    expect(settings).toMatchObject({
      ...{ spread: '50%', maxRuns: 7, except: ['2026-12-25', Date.UTC(2027, 0, 1, 8)], catchUpWindowMs: 2 * HOUR },
      ...{ pauseAfterFailures: 3, priority: -2, maxAttempts: null, timeoutMs: 90_000, expiresInMs: DAY },
    })
    const wrong = withTexts({ spread: '120%', maxRuns: 'many', except: '25.12.2026', timeoutMs: 'soon' })
    expect(Object.keys(wrong.problems).sort()).toEqual(['except', 'maxRuns', 'spread', 'timeoutMs'])
    expect(wrong.hasRule).toBe(false)
    expect(withTexts({ priority: 'high' }).hasRule).toBe(true)
  })

  it('ignores the offset of a cron expression', () => {
    expect(withTexts({ offset: 'x' }).problems).toEqual({})
    expect(read({ rule: 'every', every: '45m', texts: { ...draft().texts, offset: '5m' } }).settings).toMatchObject({
      every: 45 * MINUTE,
      offset: 5 * MINUTE,
    })
  })

  it('keeps masked values of the payload, and never sends a mask', () => {
    const row = rowOf({ ...NIGHTLY, payload: { to: 'finance', key: 'secret' } })
    const base = baseOf(row.effective, ['payload.key'])
    const start = draftOf('nightly', base)
    expect(start.payload).toContain(REDACTED)
    expect(readDraft(start, base, 'job').settings.payload).toEqual({ to: 'finance', key: 'secret' })
    const edited = { ...start, payload: start.payload.replace('finance', 'board') }
    expect(readDraft(edited, base, 'job').settings.payload).toEqual({ to: 'board', key: 'secret' })
    const moved = { ...start, payload: JSON.stringify({ other: REDACTED }) }
    expect(readDraft(moved, base, 'job').problems.payload).toContain('replace it with the actual value')
  })

  describe('changes of a stored schedule', () => {
    const changed = (row: ScheduleRow, part: Partial<Draft>) => {
      const base = baseOf(row.effective, [])
      return changeOf(row, readDraft({ ...draftOf(row.name, base), ...part }, base, 'job').settings)
    }
    const applied = (row: ScheduleRow, part: Partial<Draft>) => {
      const { set, clear } = changed(row, part)
      return changeOverride(row.override, set, clear)
    }

    it('are empty when nothing is edited', () => {
      const rows = [
        rowOf(NIGHTLY),
        rowOf(NIGHTLY, { every: HOUR, maxAttempts: null }),
        rowOf(null, { ...NIGHTLY, startsAt: NOW, spread: '10%', except: ['2026-12-25', NOW] }),
      ]
      for (const row of rows) expect(changed(row, {})).toEqual({ set: {}, clear: [] })
    })

    it('override a declared value, and remove the override when the declared value is entered again', () => {
      const row = rowOf(NIGHTLY)
      expect(changed(row, { cron: '30 2 * * *' })).toEqual({ set: { cron: '30 2 * * *' }, clear: [] })
      const overridden = rowOf(NIGHTLY, { cron: '30 2 * * *', timezone: 'UTC' })
      expect(applied(overridden, { cron: '0 3 * * *', timezone: 'Europe/Berlin' })).toEqual({})
    })

    it('replace a cron expression by an interval, and the reverse', () => {
      expect(applied(rowOf(NIGHTLY), { rule: 'every', every: '2h' })).toEqual({ every: 2 * HOUR })
      expect(applied(rowOf(NIGHTLY, { every: HOUR }), { rule: 'cron', cron: '0 3 * * *' })).toEqual({})
      expect(applied(rowOf(NIGHTLY, { every: HOUR }), { rule: 'cron', cron: '0 4 * * *' })).toEqual({
        cron: '0 4 * * *',
      })
      expect(applied(rowOf(null, NIGHTLY), { rule: 'every', every: '2h' })).toEqual({
        ...{ type: 'report', payload: { format: 'pdf' }, timezone: 'Europe/Berlin', every: 2 * HOUR },
      })
    })
  })
})

describe('settings of a schedule', () => {
  it('are listed where they differ from what is usual, with overrides that hide a declared value', () => {
    const row = rowOf({ ...NIGHTLY, maxAttempts: 3 }, { maxAttempts: null })
    const rows = settingRows(row.effective)
    expect(rows.map(({ name }) => name)).toEqual([
      'Type',
      'Cron',
      'Time zone',
      'Overlap',
      'Catch-up',
      'Catch-up window',
    ])
    expect(hiddenOverrides(row.override, rows)).toEqual(['maxAttempts'])
  })

  it('have the later of success and failure as the last result', () => {
    expect(lastResult(rowOf(NIGHTLY))).toBeNull()
    expect(lastResult(rowOf(NIGHTLY, {}, { lastSuccessAt: 2, lastFailureAt: 1 }))?.status).toBe('completed')
    expect(lastResult(rowOf(NIGHTLY, {}, { lastSuccessAt: 1, lastFailureAt: 2, failures: 3 }))).toEqual({
      ...{ status: 'failed', at: 2, detail: '3 in a row' },
    })
  })

  it('have ticks with details beyond their outcome', () => {
    const tick: ScheduleTick = {
      ...{
        at: NOW,
        dueAt: NOW,
        processedAt: NOW,
        origin: 'tick',
        outcome: 'enqueued',
        jobId: null,
        missed: 0,
        note: null,
      },
    }
    expect(tickDetails(tick)).toBe('')
    expect(tickDetails({ ...tick, missed: 1 })).toBe('1 earlier tick missed')
    expect(tickDetails({ ...tick, outcome: 'missed', missed: 3 })).toBe(
      'too late to be caught up · 2 earlier ticks missed',
    )
    expect(tickDetails({ ...tick, outcome: 'skipped', origin: 'backfill' })).toBe('it has a job already · backfill')
  })
})

describe('preview of a schedule', () => {
  const affected = (cron: string, timezone: string) =>
    affectedTicks(effectiveSchedule(null, { type: 'report', cron, timezone }), 'nightly', NOW).map(({ at }) =>
      new Date(at).toISOString(),
    )

  it('names the ticks of the next year that a change of the clocks affects', () => {
    expect(affected('30 2 * * *', 'Europe/Berlin')).toEqual(['2027-03-28T01:00:00.000Z', '2027-10-31T00:30:00.000Z'])
    expect(affected('*/5 * * * *', 'Europe/Berlin')).toEqual(['2027-10-31T00:00:00.000Z'])
    expect(affected('30 1 * * *', 'America/New_York')).toEqual(['2027-11-07T05:30:00.000Z'])
    expect(affected('0 3 * * *', 'Europe/Berlin')).toEqual([])
    expect(affected('30 2 * * *', 'UTC')).toEqual([])
  })
})

describe('day of a schedule', () => {
  const start = dayStart(NOW)

  it('marks the quarters of an hour in which it runs', () => {
    const { bins, first, count } = dayTicks(rowOf(null, { ...NIGHTLY, cron: '0 */6 * * *', timezone: 'UTC' }), start)
    expect(bins.length).toBe(BINS)
    expect(marksOf(bins)).toEqual([2, 26, 50, 74].map((from) => ({ from, length: 1 })))
    expect([first, count]).toEqual([Date.UTC(2026, 10, 19, 6), 4])
  })

  it('joins neighbouring quarters to one mark, also for a tick per second', () => {
    const { bins } = dayTicks(rowOf(null, { type: 'ping', payload: {}, every: 1_000 }), start)
    expect(marksOf(bins)).toEqual([{ from: 0, length: BINS }])
  })

  it('marks delayed ticks where they run, and nothing after the end', () => {
    const row = rowOf(null, { type: 'sync', payload: {}, every: 6 * HOUR, spread: '50%', endsAt: NOW + 7 * HOUR })
    const { bins, first } = dayTicks(row, start)
    expect(first).toBeGreaterThan(Date.UTC(2026, 10, 19, 6))
    expect(bins.filter(Boolean).length).toBe(2)
    expect(dayTicks(rowOf(null, NIGHTLY, { nextTickAt: null }), start).first).toBeNull()
  })
})

describe('rows of schedules', () => {
  const named = (name: string, more: Partial<ScheduleRow> = {}) => rowOf(null, NIGHTLY, { name, ...more })
  const names = (rows: readonly ScheduleRow[]) => rows.map(({ name }) => name)

  it('keep their places while held, change in place, and mark those that left', () => {
    const shown = [named('b'), named('d')]
    const { rows, gone } = arrangeRows(shown, [named('a'), named('b', { runs: 7 })], true)
    expect([names(rows), rows[0]?.runs, [...gone]]).toEqual([['b', 'd', 'a'], 7, ['d']])
    expect(names(arrangeRows(shown, [named('a'), named('b')], false).rows)).toEqual(['a', 'b'])
  })

  it('have addresses that hold any name', () => {
    expect(scheduleAddress('a&b/ü')).toBe('/schedules?schedule=a%26b%2F%C3%BC')
  })
})
