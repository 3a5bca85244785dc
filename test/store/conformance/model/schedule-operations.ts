/** Random changes of schedules, of the clock, and of the jobs of their ticks. */
import type { Op } from '../../../../server/store/ops.ts'
import { HOUR, MINUTE } from '../../../../shared/limits.ts'
import { CATCH_UPS, OVERLAPS } from '../../../../shared/schedules/schedule.ts'
import { START } from '../../../support/test-clock.ts'
import { claim, complete, fail, jobAction, release, rescue } from '../fixtures.ts'
import type { Model } from './model.ts'
import { type ModelSettings, SETTINGS } from './model-schedule.ts'
import { type Choice, someId, someLease, stepsOf } from './steps.ts'

// Repeated entries are more likely.
const JOB_VERBS = [
  ...(['claim', 'claim', 'claim', 'complete', 'complete', 'fail', 'fail', 'release', 'action', 'rescue'] as const),
  ...(['cleanup'] as const),
] as const
const SCHEDULE_VERBS = [
  ...(['tick', 'tick', 'tick', 'tick', 'race', 'late', 'declare', 'declare', 'update', 'pause', 'resume'] as const),
  ...(['resume', 'run', 'jump'] as const),
] as const
type JobVerb = (typeof JOB_VERBS)[number]
export type ScheduleVerb = JobVerb | (typeof SCHEDULE_VERBS)[number]

const PAUSES = [0, 1_000, 30_000, MINUTE + 1, 4 * MINUTE, 10 * MINUTE, 25 * MINUTE, 3 * HOUR]

export const scheduleSteps = stepsOf<ScheduleVerb>([...JOB_VERBS, ...SCHEDULE_VERBS], PAUSES)

export function jobOperationOf({ verb, pick, roll }: Choice<JobVerb>, model: Model, ids: readonly string[]): Op {
  const id = someId(pick, roll, model, ids)
  const lease = someLease(pick, roll, model) ?? { id, version: 1 }
  switch (verb) {
    case 'claim':
      return claim({ worker: `worker-${roll % 3}`, limit: 1 + (pick % 3), leaseMs: 5 * MINUTE, settle: roll % 5 === 0 })
    case 'complete':
      return complete(lease)
    case 'fail':
      return fail(lease, { retry: roll % 2 === 0, retryInMs: [0, 3_000, 3 * MINUTE][pick % 3] ?? 0 })
    case 'release':
      return release(lease, (pick % 2) * MINUTE)
    case 'action':
      return jobAction((['retry', 'runNow', 'cancel', 'remove'] as const)[roll % 4] ?? 'retry', id)
    case 'rescue':
      return rescue
    case 'cleanup':
      return {
        kind: 'cleanup',
        status: ['completed', 'failed', 'cancelled'],
        olderThanMs: (roll % 3) * MINUTE,
        type: null,
        limit: 1_000,
      }
  }
}

export function someSettings(pick: number, roll: number): ModelSettings {
  return {
    ...SETTINGS,
    every: [MINUTE, 7 * MINUTE, 10 * MINUTE, HOUR][pick % 4] ?? MINUTE,
    offset: (pick % 2) * 3 * MINUTE,
    overlap: OVERLAPS[roll % OVERLAPS.length] ?? 'skip',
    catchUp: CATCH_UPS[Math.floor(roll / 5) % CATCH_UPS.length] ?? 'one',
    catchUpWindowMs: [0, 15 * MINUTE, 24 * HOUR][roll % 3] ?? 0,
    startsAt: roll % 7 === 0 ? START + 20 * MINUTE : null,
    endsAt: roll % 11 === 0 ? START + 5 * HOUR : null,
    maxRuns: roll % 6 === 0 ? 3 : null,
    pauseAfterFailures: roll % 2 === 0 ? 2 : null,
  }
}

export function someOverride(roll: number): Partial<ModelSettings> {
  const overlap = OVERLAPS[roll % OVERLAPS.length] ?? 'skip'
  return [{ every: 5 * MINUTE }, { overlap }, { catchUp: 'all' as const }, { maxRuns: 2 + (roll % 9) }][roll % 4] ?? {}
}
