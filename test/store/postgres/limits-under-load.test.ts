/** Four engines claim from one PostgreSQL at once: no limit is exceeded at any time, and every sum is exact. */
import { expect, onTestFailed, onTestFinished, test } from 'vitest'
import { createEngine, type Engine } from '../../../server/engine/engine.ts'
import { databaseTime } from '../../../server/store/postgres/connection/clock.ts'
import { openPostgresStore } from '../../../server/store/postgres/store.ts'
import type { Store } from '../../../server/store/store.ts'
import { createBareDatabase, testDatabase } from '../../support/postgres/postgres.ts'
import { seeded } from '../../support/seeded.ts'
import { changeLimitsWhileRunning, pausing } from '../limits-under-load/change-limits.ts'
import { PostgresLedger } from '../limits-under-load/postgres-ledger.ts'
import { startsOverLimitOrPaused, startsOverRate } from '../limits-under-load/starts.ts'
import { addUp, type Tally, type WorkOptions, workUntilEmpty } from '../limits-under-load/work-until-empty.ts'

const ENGINES = 4
/** Jobs per type. */
const JOBS = Number(process.env.LOAD_JOBS ?? 40)
const TYPES = ['limited', 'rated', 'free'] as const
/** Types per engine. One engine has no limited types and must not disturb the others. */
const TYPES_OF_WORKERS = [null, ['limited'], ['rated', 'limited'], ['free']]
const TIMEOUT_MS = 30_000 + JOBS * 200

test('never exceeds concurrency limits, pauses or rates of types while they are changed', {
  timeout: TIMEOUT_MS,
}, async () => {
  const { engines, ledger, options } = await begin()
  const [engine] = engines
  await engine.updateType({ name: 'limited', set: { maxConcurrency: 3 } })
  await engine.updateType({ name: 'rated', set: { rate: 60, burst: 4 } })
  const changing = changeLimitsWhileRunning(engines, JOBS / 6, [
    (one) => one.updateType({ name: 'limited', set: { maxConcurrency: 1 } }),
    (one) => one.updateType({ name: 'rated', set: { rate: 30, burst: 1 } }),
    pausing(
      (one) => one.pauseType({ name: 'limited' }),
      (one) => one.resumeType({ name: 'limited' }),
    ),
    (one) => one.updateType({ name: 'limited', set: { maxConcurrency: 6 } }),
    (one) => one.updateType({ name: 'rated', set: { rate: 80, burst: 2 } }),
    pausing(
      (one) => one.pauseType({ name: 'rated' }),
      (one) => one.resumeType({ name: 'rated' }),
    ),
    (one) => one.updateType({ name: 'limited', set: { maxConcurrency: 2 } }),
  ])
  const tally = await runAll(engines, options)
  await changing
  const starts = await ledger.starts()
  expect(starts.length).toBeGreaterThanOrEqual(tally.started)
  expect(startsOverLimitOrPaused(starts)).toEqual([])
  expect(startsOverRate(starts.filter(({ type }) => type === 'rated'))).toEqual([])
  for (const one of engines) await one.close()
  expect(await ledger.deadlocks()).toBe(0)
})

test('never exceeds the rate of the whole queue while it is changed', { timeout: TIMEOUT_MS }, async () => {
  const { engines, ledger, options } = await begin()
  const [engine] = engines
  await engine.updateSettings({ set: { rate: 100, burst: 8 } })
  const changing = changeLimitsWhileRunning(engines, JOBS / 2, [
    (one) => one.updateSettings({ set: { rate: 50, burst: 1 } }),
    pausing(
      (one) => one.pause(),
      (one) => one.resume(),
    ),
    (one) => one.updateSettings({ set: { rate: 120, burst: 3 } }),
  ])
  const tally = await runAll(engines, options)
  await changing
  const starts = await ledger.queueStarts()
  expect(starts.length).toBeGreaterThanOrEqual(tally.started)
  expect(starts.filter(({ paused }) => paused)).toEqual([])
  expect(startsOverRate(starts)).toEqual([])
})

test('counts every job once, at any time, while counters are merged', { timeout: TIMEOUT_MS }, async () => {
  const { url, engines, ledger, options } = await begin()
  const folders = await Promise.all([1, 2].map(() => open(url)))
  let working = true
  const wrongCounts: unknown[] = []
  const auditing = (async () => {
    while (working) wrongCounts.push(...(await ledger.wrongCounts()))
  })()
  const folding = folders.map(async (folder) => {
    let steps = 0
    for (; working; steps++) await folder.maintain()
    return steps
  })
  const tally = await runAll(engines, options)
  working = false
  await auditing
  expect(wrongCounts).toEqual([])
  for (const steps of await Promise.all(folding)) expect(steps).toBeGreaterThan(10)
  const { completed, failed, dead } = tally
  const started = (await ledger.starts()).length
  const truth = { enqueued: JOBS * TYPES.length, started, ended: completed + failed, completed, failed, dead }
  expect(await ledger.minutes()).toEqual(truth)
  for (const folder of folders) while ((await folder.maintain()).more);
  expect(await ledger.unfolded()).toEqual([])
  expect(await ledger.wrongCounts()).toEqual([])
  expect(await ledger.minutes()).toEqual(truth)
})

async function begin() {
  const { seed, random } = seeded()
  onTestFailed(() => console.error(`seed ${seed}`))
  const url = await testDatabase(createBareDatabase)
  const engines: [Engine, ...Engine[]] = [await openEngine(url)]
  while (engines.length < ENGINES) engines.push(await openEngine(url))
  const ledger = new PostgresLedger(url)
  await ledger.begin()
  onTestFinished(() => ledger.end())
  for (const type of TYPES) {
    const jobs = Array.from({ length: JOBS }, (_, n) => ({ type, payload: n, priority: n % 3, maxAttempts: 1_000 }))
    await engines[0].enqueueMany({ jobs })
  }
  return { url, engines, ledger, options: { random, typesOfWorkers: TYPES_OF_WORKERS } }
}

async function runAll(engines: readonly Engine[], options: WorkOptions): Promise<Tally> {
  return addUp(await Promise.all(engines.map((engine) => workUntilEmpty(engine, options))))
}

async function openEngine(url: string): Promise<Engine> {
  const engine = createEngine({ store: await openPostgresStore({ url, time: databaseTime, poolSize: 4 }) })
  onTestFinished(() => engine.close())
  return engine
}

async function open(url: string): Promise<Store> {
  const store = await openPostgresStore({ url, time: databaseTime, poolSize: 2 })
  onTestFinished(() => store.close())
  return store
}
