/** Simulates a whole day of a queue on a test clock, for screenshots with history. */

import { createEngine, type Engine } from '../../../server/engine/engine.ts'
import { depthsOf, toRecord } from '../../../server/engine/services/depths.ts'
import { openSqliteStoreSync } from '../../../server/store/sqlite/store.ts'
import type { Store } from '../../../server/store/store.ts'
import { DAY, MINUTE, SECOND } from '../../../shared/limits.ts'
import { TestClock } from '../../support/test-clock.ts'
import { aboutOf, BETWEEN_MS, fillSample, KINDS, type Kind } from './sample-data.ts'
import { fillGroups, GROUP_WORKERS } from './sample-groups.ts'
import { fillSchedules } from './sample-schedules.ts'

/** Last part of the day, filled by fillSample job by job. */
const SAMPLE_MS = 29 * MINUTE
const WORKERS = ['worker-1', 'worker-2', 'worker-3', 'import-1', 'import-2', 'import-3', ...GROUP_WORKERS]

/** Returns the id of the job with a timeline. */
export async function fillDay(file: string): Promise<string> {
  const endsAt = Date.now()
  const clock = new TestClock(endsAt - DAY)
  const store = openSqliteStoreSync({ file, durability: 'normal', clock })
  const engine = createEngine({ store, clock })
  let minute = 0
  const record = depthsInto(store, clock)
  const simulateMinute = async () => {
    await runMinute(engine, clock, minute++)
    await clock.advance(MINUTE - (clock.now() % MINUTE))
    await record()
  }
  while (clock.now() < endsAt - SAMPLE_MS) await simulateMinute()
  const jobId = await fillSample(engine, async (ms) => {
    if (ms < MINUTE) {
      await clock.advance(ms)
      await record()
    } else for (const until = clock.now() + ms; clock.now() < until; ) await simulateMinute()
    // Between two sample jobs, workers run the jobs that have become due.
    if (ms === BETWEEN_MS) await work(engine, clock, minute)
  })
  await clock.advance(Math.max(0, endsAt - clock.now()))
  await fillGroups(engine)
  await fillSchedules(engine, endsAt)
  await engine.close()
  return jobId
}

/** Records the depths at the end of each minute, as upkeep would. */
function depthsInto(store: Store, clock: TestClock): () => Promise<void> {
  let last: { readonly minute: number; readonly depths: ReturnType<typeof depthsOf> } | null = null
  return async () => {
    const minute = Math.floor(clock.now() / MINUTE) - 1
    if (minute === last?.minute) return
    const depths = depthsOf(await store.counts())
    const rows = toRecord(depths, minute, last?.minute === minute - 1 ? last.depths : null)
    await store.commit([{ kind: 'recordDepths', minute, depths: rows }])
    last = { minute, depths }
  }
}

/** Keeps the simulated workers online. */
export async function beat(engine: Engine): Promise<void> {
  for (const worker of WORKERS) await engine.heartbeat({ worker, leases: [] })
}

/** More jobs by day than by night, and a database outage. */
async function runMinute(engine: Engine, clock: TestClock, minute: number): Promise<void> {
  const wave = 1 + 0.6 * Math.sin((minute / 1_440) * 2 * Math.PI * 2 + 1)
  const count = Math.max(2, Math.round(9 * wave + ((minute * 7) % 5) - 2))
  const kinds = Array.from({ length: count }, (_, n) => kindOf(minute * 31 + n * 17))
  await engine.enqueueMany({
    jobs: kinds.map(({ type, payload }, n) => ({ type, payload: payload(minute + n), delayMs: delayOf(minute, n) })),
  })
  await clock.advance(30 + ((minute * 53) % 240))
  await work(engine, clock, minute)
}

/** Claims all due jobs and settles them. */
async function work(engine: Engine, clock: TestClock, minute: number): Promise<void> {
  const worker = WORKERS[minute % 3] ?? ''
  const isOutage = minute > 1_010 && minute < 1_050
  const jobs = await engine.claim({ worker, limit: 100, leaseMs: 10 * MINUTE, about: aboutOf(worker) })
  if (jobs.length === 0) return
  await clock.advance(SECOND + ((minute * 811) % 2_400))
  const settle = jobs.map(({ id, version, type }, n) => {
    const kind = KINDS.find((one) => one.type === type) ?? kindOf(0)
    const fails = (isOutage && type === 'sync_crm') || (minute * 13 + n * 7) % 61 === 0
    return fails
      ? { kind: 'fail' as const, id, version, error: kind.error, retry: false }
      : { kind: 'complete' as const, id, version, result: kind.result }
  })
  await engine.exchange({ worker, settle })
}

/** Delays some jobs, in waves, so that the backlog rises and falls. */
function delayOf(minute: number, n: number): number {
  const share = 4 + Math.round(3 * Math.sin(minute / 9))
  return (minute + n * 3) % share === 0 ? (4 + ((minute * 5 + n * 11) % 14)) * MINUTE : 0
}

/** Mostly emails; reports are rare. */
function kindOf(n: number): Kind {
  const place = [0, 0, 1, 0, 3, 2, 0, 1, 3, 2, 0, 0, 1][n % 13] ?? 0
  const kind = n % 97 === 0 ? KINDS[4] : KINDS[place]
  if (!kind) throw new Error('unknown kind')
  return kind
}
