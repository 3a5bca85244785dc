/** Measures enqueue, claim and complete separately: all jobs pass one phase before the next starts. */
import type { ClaimedJob, Engine } from '../../server/index.ts'
import { elapsedMs } from '../harness/measure.ts'
import { claimAll, completeAll, enqueueAll } from './callers.ts'

export const PHASES = ['enqueue', 'claim', 'complete'] as const
export type Phase = (typeof PHASES)[number]

/** Microseconds per job. */
export type PhaseFigures = Record<Phase, number>

export async function measurePhases(
  engine: Engine,
  type: string,
  payload: unknown,
  jobs: number,
  callers?: number,
): Promise<PhaseFigures> {
  let claimed: readonly ClaimedJob[] = []
  const enqueueMs = await elapsedMs(() => enqueueAll(engine, type, payload, jobs, callers))
  const claimMs = await elapsedMs(async () => {
    claimed = await claimAll(engine, type, jobs, callers)
  })
  const completeMs = await elapsedMs(() => completeAll(engine, claimed, callers))
  const micros = (ms: number) => (ms * 1_000) / jobs
  return { enqueue: micros(enqueueMs), claim: micros(claimMs), complete: micros(completeMs) }
}
