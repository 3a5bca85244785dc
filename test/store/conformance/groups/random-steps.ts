/** Random operations on jobs of keys. */
import fc from 'fast-check'
import type { Lease, NewJob, Op } from '../../../../server/store/ops.ts'
import type { GroupSettings } from '../../../../shared/contracts/groups.ts'
import type { JobSummary } from '../../../../shared/job.ts'
import {
  admitBlocked,
  busy,
  claim,
  complete,
  enqueue,
  fail,
  heartbeat,
  jobAction,
  plainJob,
  promote,
  release,
  rescue,
  updateGroup,
} from '../fixtures.ts'

const RATE = { limit: 2, perMs: 1_000, burst: 2 } as const

/** Types with the rules of their groups; a type without is limited by the default window only. */
export const TYPES: Readonly<Record<string, GroupSettings | null>> = {
  fair: { concurrency: 3, window: 2 },
  rated: { rate: RATE },
  strict: { order: 'strict', onDead: 'stop' },
  continues: { order: 'strict', onDead: 'continue' },
  skip: { concurrency: 1, whenFull: 'skip' },
  replace: { concurrency: 1, whenFull: 'replace' },
  cancel: { concurrency: 2, whenFull: 'cancel' },
  left: { name: 'shared', concurrency: 2 },
  right: { name: 'shared' },
  free: null,
}
const NAMES = Object.keys(TYPES)
/** Groups whose rate never changes in the sequences. */
export const RATED = 'rated'

// Repeated entries are more likely.
const VERBS = [
  ...(['enqueue', 'enqueue', 'enqueue', 'enqueue', 'claim', 'claim', 'claim', 'claim', 'claim'] as const),
  ...([
    'complete',
    'complete',
    'fail',
    'fail',
    'release',
    'busy',
    'heartbeat',
    'promote',
    'promote',
    'rescue',
  ] as const),
  ...(['action', 'action', 'action', 'cleanup', 'update', 'update', 'trim', 'admit', 'renew'] as const),
] as const

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

// Without fast-check's bias towards small numbers, which would pick the same few jobs again and again.
const number = fc.noBias(fc.nat(9_999))
const choice: fc.Arbitrary<Choice> = fc.record({ verb: fc.constantFrom(...VERBS), pick: number, roll: number })

export const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    choices: fc.oneof(
      { weight: 3, arbitrary: fc.array(choice, { minLength: 1, maxLength: 1 }) },
      { weight: 1, arbitrary: fc.array(choice, { minLength: 2, maxLength: 5, size: 'max' }) },
    ),
    ms: fc.constantFrom(0, 0, 1, 100, 250, 500, 2_000, 12_000),
    other: fc.boolean(),
  }),
  { minLength: 1, maxLength: 50, size: 'max' },
)

/** Turns a choice into an operation on jobs that exist, including stale claims. */
export function operation({ verb, pick, roll }: Choice, jobs: readonly JobSummary[]): Op {
  const id = jobs[pick % jobs.length]?.id ?? plainJob().id
  const lease = someLease(pick, roll, jobs) ?? { id, version: 1 }
  switch (verb) {
    case 'enqueue':
      return enqueue(...Array.from({ length: 1 + (pick % 4) }, (_, n) => someJob(pick + (roll % 2) * n, roll + 7 * n)))
    case 'claim':
      return claim({
        worker: `worker-${roll % 2}`,
        types: roll % 4 === 0 ? [nameOf(pick)] : null,
        limit: 1 + (pick % 5),
        leaseMs: 10_000,
        settle: roll % 11 === 0,
      })
    case 'complete':
      return complete(lease)
    case 'fail':
      return fail(lease, { retry: roll % 4 > 0, retryInMs: [0, 700, 3_000][pick % 3] ?? 0 })
    case 'release':
      return release(lease, (pick % 2) * 900)
    case 'busy':
      return busy(lease, 300 + (roll % 4) * 700)
    case 'heartbeat':
      return heartbeat([lease])
    case 'promote':
      return roll % 3 === 0 ? { kind: 'promote', limit: 1 } : promote
    case 'rescue':
      return rescue
    case 'action':
      return jobAction((['retry', 'runNow', 'cancel', 'cancel', 'remove'] as const)[roll % 5] ?? 'retry', id)
    case 'cleanup':
      return { kind: 'cleanup', status: ['completed', 'failed'], olderThanMs: 3_000, type: null, limit: 1_000 }
    case 'update':
      return someUpdate(pick, roll)
    case 'trim': {
      const ages = { minutesOlderThanMs: 0, depthsOlderThanMs: 0, workersOlderThanMs: 0, auditOlderThanMs: 0 }
      return { kind: 'trim', ...ages, limit: 1 + (roll % 3) }
    }
    case 'admit':
      return { ...admitBlocked, limit: 1 + (roll % 4) }
    case 'renew':
      return { kind: 'renewLeases' }
  }
}

function nameOf(pick: number): string {
  return NAMES[pick % NAMES.length] ?? 'free'
}

function someLease(pick: number, roll: number, jobs: readonly JobSummary[]): Lease | undefined {
  const held = jobs.filter((job) => job.status === 'processing')
  const current = held[pick % held.length]
  if (current && roll % 8 > 0) return current
  const claimed = jobs.filter((job) => job.version > 0)
  const any = claimed[pick % claimed.length]
  return any && { id: any.id, version: 1 + (pick % any.version) }
}

/** Jobs of strict groups are due at once and have one priority, so that their order is that of their enqueue. */
function someJob(pick: number, roll: number): NewJob {
  const type = nameOf(pick)
  const isPlain = isStrict(type)
  return plainJob({
    type,
    groupKey: roll % 13 === 0 ? null : roll % 4 === 0 ? 'b' : 'a',
    priority: isPlain ? 0 : (pick % 3) - 1,
    delayMs: !isPlain && roll % 5 === 0 ? 400 : null,
    maxAttempts: 1 + (roll % 4),
    dedupeKey: roll % 9 === 0 ? `key-${pick % 2}` : null,
    dedupeUntil: 'finished',
    expiresAt: null,
    whenFull: roll % 17 === 0 ? 'wait' : null,
  })
}

export function isStrict(group: string): boolean {
  return TYPES[group]?.order === 'strict'
}

function someUpdate(pick: number, roll: number): Op {
  const type = nameOf(pick)
  const name = TYPES[type]?.name ?? type
  const key = roll % 3 === 0 ? null : roll % 2 === 0 ? 'a' : 'b'
  if (roll % 5 < 2)
    return updateGroup({ name, key, clear: ['paused', 'concurrency'], resume: key !== null && roll % 2 === 0 })
  if (roll % 5 === 2) return updateGroup({ name, key, set: { paused: true } })
  return updateGroup({ name, key, set: { concurrency: isStrict(name) ? 1 : 1 + (pick % 5) } })
}
