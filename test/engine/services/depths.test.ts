/** Depth of each type per minute, after any kind of change, with gaps where nothing was recorded. */
import { describe, expect, it } from 'vitest'
import { readDepths, toRecord } from '../../../server/engine/services/depths.ts'
import type { DepthRow } from '../../../server/store/records.ts'
import { HOUR, MINUTE } from '../../../shared/limits.ts'
import { addMany, describeEngine, type Opened, started, until } from '../../support/engine.ts'

describeEngine('queue depths', (open) => {
  it('recorded depths do not change when operators retry and delete jobs', async () => {
    const opened = await started(open())
    const { engine, clock } = opened
    await addMany(engine, 30, { type: 'mail' })
    await addMany(engine, 5, { type: 'call', delayMs: HOUR })
    await clock.advance(2 * MINUTE)
    await bulk(opened, 'cancel', 'mail')
    await clock.advance(MINUTE)
    await bulk(opened, 'retry', 'mail')
    await clock.advance(MINUTE)
    await bulk(opened, 'remove', 'mail')
    await clock.advance(2 * MINUTE)
    const { minutes, types } = await engine.depths({ minutes: 6 })
    const now = Math.floor(clock.now() / MINUTE)
    expect(minutes).toEqual([now - 6, now - 5, now - 4, now - 3, now - 2, now - 1])
    expect(types.mail).toEqual({ ready: [30, 30, 0, 30, 0, 0], backlog: [30, 30, 0, 30, 0, 0] })
    expect(types.call).toEqual({ ready: [0, 0, 0, 0, 0, 0], backlog: [5, 5, 5, 5, 5, 5] })
    expect(await engine.depths({ minutes: 2, type: 'call' })).toEqual({
      minutes: minutes.slice(-2),
      types: { call: { ready: [0, 0], backlog: [5, 5] } },
    })
  })

  it('depths have a gap for minutes in which no engine ran', async () => {
    const { engine, clock, another } = await started(open())
    await addMany(engine, 3, { type: 'mail' })
    await clock.advance(2 * MINUTE)
    await engine.close()
    await clock.advance(5 * MINUTE)
    const next = await started(another())
    await clock.advance(2 * MINUTE)
    const { minutes, types } = await next.engine.depths({ minutes: 9 })
    const now = Math.floor(clock.now() / MINUTE)
    expect(minutes).toEqual([now - 9, now - 8, now - 2, now - 1])
    expect(types.mail?.backlog).toEqual([3, 3, 3, 3])
  })

  it('depths older than a day are deleted', async () => {
    const { engine, store, clock } = await started(open())
    await addMany(engine, 1, { type: 'mail' })
    const minute = Math.floor(clock.now() / MINUTE) - 1_600
    await store.commit([{ kind: 'recordDepths', minute, depths: [{ type: '', ready: 9, backlog: 9 }] }])
    await clock.advance(2 * MINUTE)
    const rows = await store.depths({ sinceMinute: 0, type: null })
    expect(rows.filter((row) => row.minute <= minute)).toEqual([])
    expect(rows.length).toBeGreaterThan(0)
  })
})

describe('rows of queue depths', () => {
  const depth = (type: string, backlog: number) => ({ type, ready: 0, backlog })
  const now = new Map([
    ['mail', depth('mail', 7)],
    ['call', depth('call', 0)],
    ['fax', depth('fax', 2)],
  ])

  it('a minute records changed depths, and every quarter of an hour all types with jobs', () => {
    const before = new Map([
      ['mail', depth('mail', 7)],
      ['call', depth('call', 1)],
      ['gone', depth('gone', 4)],
    ])
    const total = depth('', 9)
    expect(toRecord(now, 31, before)).toEqual([depth('call', 0), depth('fax', 2), depth('gone', 0), total])
    expect(toRecord(now, 31, null)).toEqual([depth('mail', 7), depth('fax', 2), total])
    expect(toRecord(now, 30, before).map(({ type }) => type)).toEqual(['mail', 'fax', 'gone', ''])
  })

  it('a depth is valid until the next row, and an incomplete minute is a gap', () => {
    const row = (minute: number, type: string, backlog: number): DepthRow => ({ minute, ...depth(type, backlog) })
    const recorded = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => row(from + n, '', 0))
    const rows = [
      ...recorded(17, 33),
      ...[row(20, 'mail', 5), row(30, 'mail', 5), row(33, 'mail', 6)],
      // Incomplete: the process crashed, or the next leader took over.
      row(34, 'mail', 7),
      ...recorded(35, 36),
      row(36, 'call', 1),
    ].sort((a, b) => a.minute - b.minute)
    expect(readDepths(rows, 32)).toEqual({
      minutes: [32, 33, 35, 36],
      types: {
        mail: { ready: [0, 0, 0, 0], backlog: [5, 6, 0, 0] },
        call: { ready: [0, 0, 0, 0], backlog: [0, 0, 0, 1] },
      },
    })
  })
})

async function bulk({ engine, clock }: Opened, action: 'cancel' | 'retry' | 'remove', type: string): Promise<void> {
  const { id } = await engine.startBulk({ action, filter: { type }, undoMs: 0 })
  await clock.advance(0)
  await until(async () => (await engine.bulk({ id })).state === 'done')
}
