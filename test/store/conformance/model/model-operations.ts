/** Random operations on the jobs of a model. */
import fc from 'fast-check'
import type { Lease, NewJob, Op } from '../../../../server/store/ops.ts'
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

const MAX_COMMITS = 40
const UNKNOWN = '018f6f0e-dead-7000-8000-000000000000'

export interface Choice {
  readonly verb: (typeof VERBS)[number]
  readonly pick: number
  readonly roll: number
}

export interface Step {
  readonly choices: readonly Choice[]
  readonly ms: number
  readonly other: boolean
}

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

// Without fast-check's bias towards small numbers, which would pick the same few jobs again and again.
const number = fc.noBias(fc.nat(9_999))
const choices: fc.Arbitrary<Choice> = fc.record({ verb: fc.constantFrom(...VERBS), pick: number, roll: number })

/** The operations of each commit, the pause before it, and one of two connections. */
export const commits: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    choices: fc.oneof(
      { weight: 3, arbitrary: fc.array(choices, { minLength: 1, maxLength: 1 }) },
      { weight: 1, arbitrary: fc.array(choices, { minLength: 2, maxLength: 5, size: 'max' }) },
    ),
    ms: fc.constantFrom(0, 0, 0, 1, 500, 2_000, 4_000, 11_000, 26_000, 26_000),
    other: fc.boolean(),
  }),
  { minLength: 1, maxLength: MAX_COMMITS, size: 'max' },
)

/** Turns a choice into an operation on jobs of the model, including stale claims and unknown ids. */
export function operation({ verb, pick, roll }: Choice, model: Model, ids: readonly string[], alone: boolean): Op {
  const id = (roll % 25 > 0 ? model.jobs[pick % model.jobs.length]?.input.id : ids[pick % ids.length]) ?? UNKNOWN
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

/** Mostly a claim that is current, sometimes an earlier one or one that has ended. */
function someLease(pick: number, roll: number, model: Model): Lease | undefined {
  const held = model.jobs.filter((job) => job.status === 'processing')
  const current = held[pick % held.length]
  if (current && roll % 4 > 0) return { id: current.input.id, version: current.version }
  const claimed = model.jobs.filter((job) => job.version > 0)
  const any = claimed[pick % claimed.length]
  return any && { id: any.input.id, version: 1 + (pick % any.version) }
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
