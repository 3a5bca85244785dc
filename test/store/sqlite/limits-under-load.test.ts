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
import { changeLimitsWhileRunning, pausing } from '../limits-under-load/change-limits.ts'
import { SqliteLedger } from '../limits-under-load/sqlite-ledger.ts'
import { startsOverLimitOrPaused, startsOverRate } from '../limits-under-load/starts.ts'
import { addUp, type Tally } from '../limits-under-load/work-until-empty.ts'

const CHILD = compiled('test/store/limits-under-load/work-child')
const PROCESSES = 3
/** Jobs per type. */
const JOBS = Number(process.env.LOAD_JOBS ?? 40)
const TYPES = ['limited', 'rated', 'free'] as const
const TYPES_OF_WORKERS = [null, ['limited'], ['rated', 'limited'], ['free']]
const TIMEOUT_MS = 30_000 + JOBS * 200

test('never exceeds concurrency limits, pauses or rates, and counts every job once', {
  timeout: TIMEOUT_MS,
}, async () => {
  const { file, engine, ledger, seed } = await begin()
  await engine.updateType({ name: 'limited', set: { maxConcurrency: 3 } })
  await engine.updateType({ name: 'rated', set: { rate: 60, burst: 4 } })
  const working = runAll(file, seed)
  const wrongCounts: unknown[] = []
  const checkCounts = () => wrongCounts.push(...ledger.wrongCounts())
  await changeLimitsWhileRunning([engine], JOBS / 6, [
    (one) => one.updateType({ name: 'limited', set: { maxConcurrency: 1 } }).then(checkCounts),
    (one) => one.updateType({ name: 'rated', set: { rate: 30, burst: 1 } }).then(checkCounts),
    pausing(
      (one) => one.pauseType({ name: 'limited' }),
      (one) => one.resumeType({ name: 'limited' }).then(checkCounts),
    ),
    (one) => one.updateType({ name: 'limited', set: { maxConcurrency: 6 } }).then(checkCounts),
    (one) => one.updateType({ name: 'rated', set: { rate: 80, burst: 2 } }).then(checkCounts),
  ])
  const { started: startedAtLeast, ...done } = await working
  const starts = ledger.starts()
  expect(starts.length).toBeGreaterThanOrEqual(startedAtLeast)
  expect(startsOverLimitOrPaused(starts)).toEqual([])
  expect(startsOverRate(starts.filter(({ type }) => type === 'rated'))).toEqual([])
  expect([...wrongCounts, ...ledger.wrongCounts()]).toEqual([])
  const counted = { enqueued: JOBS * TYPES.length, started: starts.length, ended: done.completed + done.failed }
  expect(ledger.minutes()).toEqual({ ...counted, ...done })
})

test('never exceeds the rate of the whole queue while it is changed', { timeout: TIMEOUT_MS }, async () => {
  const { file, engine, ledger, seed } = await begin()
  await engine.updateSettings({ set: { rate: 150, burst: 8 } })
  const working = runAll(file, seed)
  await changeLimitsWhileRunning([engine], JOBS / 2, [
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
  expect(startsOverRate(starts)).toEqual([])
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
  const args = [CHILD, file, String(seed), JSON.stringify(TYPES_OF_WORKERS)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  return JSON.parse(await text(child.stdout))
}
