/** Random operations on the jobs of a model. */
import type { NewJob, Op } from '../../../../server/store/ops.ts'
import { START } from '../../../support/test-clock.ts'
import {
  claim,
  complete,
  enqueue,
  fail,
  heartbeat,
  jobAction,
  plainJob,
  progress,
  promote,
  release,
  rescue,
} from '../fixtures.ts'
import type { Model } from './model.ts'
import { type Choice, someId, someLease, stepsOf } from './steps.ts'

// Repeated entries are more likely.
const VERBS = [
  ...([
    'enqueue',
    'enqueue',
    'enqueue',
    'claim',
    'claim',
    'claim',
    'claim',
    'complete',
    'fail',
    'fail',
    'fail',
  ] as const),
  ...(['release', 'heartbeat', 'progress', 'jobAction', 'jobAction', 'promote', 'rescue', 'rescue', 'rescue'] as const),
  ...(['renew', 'cleanup', 'override'] as const),
] as const

type Verb = (typeof VERBS)[number]

export const jobSteps = stepsOf(VERBS, [0, 0, 0, 1, 500, 2_000, 4_000, 11_000, 26_000, 26_000])

/** Turns a choice into an operation on jobs of the model, including stale claims and unknown ids. */
export function jobOperation(
  { verb, pick, roll }: Choice<Verb>,
  model: Model,
  ids: readonly string[],
  alone: boolean,
): Op {
  const id = someId(pick, roll, model, ids)
  const lease = someLease(pick, roll, model) ?? { id, version: 1 }
  const leaseMs = roll % 3 === 0 ? null : 5_000 + (roll % 2) * 20_000
  switch (verb) {
    case 'enqueue':
      return enqueue(...Array.from({ length: 1 + (pick % 3) }, (_, n) => someJob(pick + n, roll + 7 * n)))
    case 'claim': {
      const types = [null, null, ['a'], ['b', 'topic'], ['a', 'b', 'unheard-of']][Math.floor(pick / 9) % 5] ?? null
      const worker = `worker-${roll % 2}`
      // A store may decide whether slots of settled jobs are free for other claims of the commit.
      const settle = alone && roll % 7 === 0
      const requestId = pick % 3 === 0 ? `${worker}-${settle}-${roll % 5}` : null
      return claim({ worker, types, settle, requestId, leaseMs, limit: 1 + (Math.floor(pick / 3) % 3) })
    }
    case 'complete':
      return complete(lease)
    case 'fail':
      return fail(lease, { retry: roll % 6 > 0, retryInMs: [null, 0, 3_000][pick % 3] ?? null })
    case 'release':
      return release(lease, (pick % 2) * 1_500)
    case 'heartbeat':
      return heartbeat([lease, someLease(pick + 1, roll + 1, model) ?? { id, version: 1 }], leaseMs)
    case 'progress':
      return progress(lease)
    case 'jobAction':
      return jobAction((['retry', 'runNow', 'cancel', 'cancel', 'remove'] as const)[roll % 5] ?? 'retry', id)
    case 'promote':
      return promote
    case 'rescue':
      return rescue
    case 'renew':
      return { kind: 'renewLeases' }
    case 'cleanup':
      return { kind: 'cleanup', status: ['completed', 'cancelled'], olderThanMs: 10_000, type: null, limit: 1_000 }
    case 'override': {
      const on = roll % 2 === 0
      const set = !on ? {} : pick % 2 === 0 ? { paused: true } : { maxConcurrency: 1 + (pick % 3) }
      const clear = on ? [] : (['paused', 'maxConcurrency'] as const)
      return { kind: 'overrideType', name: roll % 3 === 0 ? 'a' : 'b', set, clear, actor: 'operator' }
    }
  }
}

function someJob(pick: number, roll: number): NewJob {
  const type = ['a', 'a', 'b', 'topic'][pick % 4] ?? 'a'
  return plainJob({
    type,
    kind: type === 'topic' && roll % 20 > 0 ? 'message' : 'job',
    priority: (pick % 3) - 1,
    delayMs: roll % 3 === 0 ? 2_500 : null,
    maxAttempts: [null, 1, 2][roll % 3] ?? null,
    timeoutMs: roll % 5 === 0 ? 9_000 : null,
    dedupeKey: roll % 4 === 0 ? `key-${pick % 2}` : null,
    dedupeUntil: pick % 2 === 0 ? 'finished' : 'removed',
    expiresAt: roll % 6 === 0 ? START + (roll % 50) * 1_000 : null,
  })
}
