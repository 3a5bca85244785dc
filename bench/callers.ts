/** Concurrent callers of an engine: each makes its next call when its last one was answered. */
import type { ClaimedJob, Engine } from '../server/index.ts'

export const CALLERS = 64

export async function runCallers(calls: number, call: (caller: number, index: number) => Promise<unknown>) {
  let next = 0
  const caller = async (_: unknown, number: number) => {
    while (next < calls) await call(number, next++)
  }
  await Promise.all(Array.from({ length: Math.min(CALLERS, calls) }, caller))
}

export function enqueueAll(engine: Engine, type: string, payload: unknown, jobs: number): Promise<void> {
  return runCallers(jobs, () => engine.enqueue({ type, payload }))
}

export async function claimAll(engine: Engine, type: string, jobs: number): Promise<readonly ClaimedJob[]> {
  const claimed: ClaimedJob[] = []
  await runCallers(jobs, async (caller) => {
    claimed.push(await claimOne(engine, type, caller))
  })
  return claimed
}

export function completeAll(engine: Engine, jobs: readonly ClaimedJob[]): Promise<void> {
  return runCallers(jobs.length, async (_, index) => {
    const job = jobs[index]
    if (job) await engine.complete({ id: job.id, version: job.version, result: RESULT })
  })
}

/** The whole life of a job: every caller enqueues one, claims whichever is next and completes it. */
export function liveAll(engine: Engine, type: string, payload: unknown, jobs: number): Promise<void> {
  return runCallers(jobs, async (caller) => {
    await engine.enqueue({ type, payload })
    const { id, version } = await claimOne(engine, type, caller)
    await engine.complete({ id, version, result: RESULT })
  })
}

const RESULT = { ok: true }
export const RESULT_TEXT = JSON.stringify(RESULT)

async function claimOne(engine: Engine, type: string, caller: number): Promise<ClaimedJob> {
  const [job] = await engine.claim({ worker: `worker-${caller}`, types: [type] })
  if (!job) throw new Error(`There was no ${type} left to claim; the benchmark counts on one for every claim.`)
  return job
}
