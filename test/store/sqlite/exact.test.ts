/** Several processes claim from one SQLite file at once: no limit is exceeded at any time, and every sum is exact. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFailed, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../server/base/clock.ts'
import { createEngine, type Engine } from '../../../server/engine/engine.ts'
import { openSqliteStoreSync } from '../../../server/store/sqlite/store.ts'
import { compiled } from '../../support/compiled/compiled.ts'
import { seeded } from '../../support/seeded.ts'
import { tempFolder } from '../../support/temp.ts'
import { SqliteLedger } from '../exact/sqlite-ledger.ts'
import { excesses, trespasses } from '../exact/starts.ts'
import { pausing, steer } from '../exact/steer.ts'
import { addUp, type Tally } from '../exact/storm.ts'

const CHILD = compiled('test/store/exact/storm-child')
const PROCESSES = 3
/** Jobs per type. */
const JOBS = Number(process.env.STORM_JOBS ?? 40)
const TYPES = ['slots', 'paced', 'free'] as const
const SCOPES = [null, ['slots'], ['paced', 'slots'], ['free']]
const TIMEOUT_MS = 30_000 + JOBS * 200

test('keeps slots, pauses and rates exactly, and counts every job once', { timeout: TIMEOUT_MS }, async () => {
  const { file, engine, ledger, seed } = await begin()
  await engine.updateType({ name: 'slots', set: { maxConcurrency: 3 } })
  await engine.updateType({ name: 'paced', set: { rate: 60, burst: 4 } })
  const working = runAll(file, seed)
  const untruths: unknown[] = []
  const look = () => untruths.push(...ledger.untruths())
  await steer([engine], JOBS / 6, [
    (one) => one.updateType({ name: 'slots', set: { maxConcurrency: 1 } }).then(look),
    (one) => one.updateType({ name: 'paced', set: { rate: 30, burst: 1 } }).then(look),
    pausing(
      (one) => one.pauseType({ name: 'slots' }),
      (one) => one.resumeType({ name: 'slots' }).then(look),
    ),
    (one) => one.updateType({ name: 'slots', set: { maxConcurrency: 6 } }).then(look),
    (one) => one.updateType({ name: 'paced', set: { rate: 80, burst: 2 } }).then(look),
  ])
  const { started: atLeast, ...done } = await working
  const starts = ledger.starts()
  expect(starts.length).toBeGreaterThanOrEqual(atLeast)
  expect(trespasses(starts)).toEqual([])
  expect(excesses(starts.filter(({ type }) => type === 'paced'))).toEqual([])
  expect([...untruths, ...ledger.untruths()]).toEqual([])
  const counted = { enqueued: JOBS * TYPES.length, started: starts.length, ended: done.completed + done.failed }
  expect(ledger.minutes()).toEqual({ ...counted, ...done })
})

test('keeps the rate of the whole queue exactly while it is changed', { timeout: TIMEOUT_MS }, async () => {
  const { file, engine, ledger, seed } = await begin()
  await engine.updateSettings({ set: { rate: 150, burst: 8 } })
  const working = runAll(file, seed)
  await steer([engine], JOBS / 2, [
    (one) => one.updateSettings({ set: { rate: 75, burst: 1 } }),
    pausing(
      (one) => one.pause(),
      (one) => one.resume(),
    ),
    (one) => one.updateSettings({ set: { rate: 200, burst: 3 } }),
  ])
  await working
  const starts = ledger.queueStarts()
  expect(starts.filter(({ paused }) => paused)).toEqual([])
  expect(excesses(starts)).toEqual([])
})

async function begin() {
  const { seed } = seeded()
  onTestFailed(() => console.error(`seed ${seed}`))
  const file = join(await tempFolder(), 'queue.db')
  const engine: Engine = createEngine({
    store: openSqliteStoreSync({ file, clock: systemClock, durability: 'normal' }),
  })
  onTestFinished(() => engine.close())
  const ledger = new SqliteLedger(file)
  onTestFinished(() => ledger.end())
  for (const type of TYPES) {
    const jobs = Array.from({ length: JOBS }, (_, n) => ({ type, payload: n, priority: n % 3, maxAttempts: 1_000 }))
    await engine.enqueueMany({ jobs })
  }
  return { file, engine, ledger, seed }
}

async function runAll(file: string, seed: number): Promise<Tally> {
  const children = Array.from({ length: PROCESSES }, (_, n) => work(file, seed + n))
  return addUp(await Promise.all(children))
}

async function work(file: string, seed: number): Promise<Tally> {
  const args = [CHILD, file, String(seed), JSON.stringify(SCOPES)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  return JSON.parse(await text(child.stdout))
}
