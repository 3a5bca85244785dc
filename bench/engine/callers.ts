/** Concurrent callers of an engine; each makes its next call when the previous one returns. */
import type { ClaimedJob, Engine } from '../../server/index.ts'

export const CALLERS = 64

export async function runCallers(
  calls: number,
  call: (caller: number, index: number) => Promise<unknown>,
  callers = CALLERS,
) {
  let next = 0
  const caller = async (_: unknown, number: number) => {
    while (next < calls) await call(number, next++)
  }
  await Promise.all(Array.from({ length: Math.min(callers, calls) }, caller))
}

export function enqueueAll(
  engine: Engine,
  type: string,
  payload: unknown,
  jobs: number,
  callers?: number,
): Promise<void> {
  return runCallers(jobs, () => engine.enqueue({ type, payload }), callers)
}

export async function claimAll(
  engine: Engine,
  type: string,
  jobs: number,
  callers?: number,
): Promise<readonly ClaimedJob[]> {
  const claimed: ClaimedJob[] = []
  const claim = async (caller: number) => {
    claimed.push(await claimOne(engine, type, caller))
  }
  await runCallers(jobs, claim, callers)
  return claimed
}

export function completeAll(engine: Engine, jobs: readonly ClaimedJob[], callers?: number): Promise<void> {
  const complete = async (_: number, index: number) => {
    const job = jobs[index]
    if (job) await engine.complete({ id: job.id, version: job.version, result: RESULT })
  }
  return runCallers(jobs.length, complete, callers)
}

/** Full lifecycle: every caller enqueues a job, claims the next one and completes it. */
export function liveAll(engine: Engine, type: string, payload: unknown, jobs: number): Promise<void> {
  return runCallers(jobs, async (caller) => {
    await engine.enqueue({ type, payload })
    const { id, version } = await claimOne(engine, type, caller)
    await engine.complete({ id, version, result: RESULT })
  })
}

export const RESULT = { ok: true }
export const RESULT_TEXT = JSON.stringify(RESULT)

async function claimOne(engine: Engine, type: string, caller: number): Promise<ClaimedJob> {
  const [job] = await engine.claim({ worker: `worker-${caller}`, types: [type] })
  if (!job) throw new Error(`No ${type} job left to claim; the benchmark needs one for every claim.`)
  return job
}
