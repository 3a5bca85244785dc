/** All measures of bench:peers on Millrace and on the SQLite limit, with short turns. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openMillrace } from '../../bench/peers/adapters/millrace.ts'
import { openRawSqlite } from '../../bench/peers/adapters/raw-sqlite.ts'
import { loneEnqueue, MEASURES, measure } from '../../bench/peers/measures.ts'
import { requireSync } from '../../bench/peers/running-system.ts'
import { spansOf } from '../../bench/peers/span.ts'

const TURN_MS = 20

it.each([
  ['Millrace', openMillrace, 'sqlite:'],
  ['the SQLite limit', openRawSqlite, ''],
])('every measure of %s has a figure and passes its checks', async (_, open, scheme) => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-measures-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const session = await open(`${scheme}${join(folder, 'queue.db')}`, { text: 'x' })
  const turn = { session, turnMs: TURN_MS, rates: new Map(), begin: spansOf('in process') }
  for (const name of MEASURES) {
    const { value, jobs, clientMicros, serverMicros } = await measure(name, turn)
    const valid = { isFast: value > 0, hasJobs: jobs > 0, hasCpu: clientMicros > 0, serverMicros }
    expect({ name, ...valid }).toEqual({ name, isFast: true, hasJobs: true, hasCpu: true, serverMicros: 0 })
  }
  await session.close()
})

it('a system whose lone enqueue is faster than half an fdatasync is refused, however slow the disk is at the moment', async () => {
  const session = { enqueue: () => new Promise((resolve) => setImmediate(resolve)) }
  const unused = () => Promise.reject(new Error('not used'))
  const whole = { enqueueMany: unused, work: unused, left: unused, close: unused, ...session }
  const slow = await loneEnqueue(whole, 5, () => 1_000)
  expect(slow.perSync).toBe(slow.ms / 1_000)
  expect(() => requireSync(slow)).toThrow('not on disk')
  expect(() => requireSync({ ms: 1, perSync: 0.5 })).not.toThrow()
})
