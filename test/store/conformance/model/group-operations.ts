/** Random operations on jobs of keys: limits, strict order, full keys, pauses and changed rules. */
import type { NewJob, Op, OpOf } from '../../../../server/store/ops.ts'
import type { GroupSettings } from '../../../../shared/contracts/groups.ts'
import { START } from '../../../support/test-clock.ts'
import {
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
import type { Kit } from '../kit.ts'
import type { Model } from './model.ts'
import { type Choice, someId, someLease, stepsOf } from './steps.ts'

/** Types with the rules of their groups. */
const TYPES: Readonly<Record<string, GroupSettings>> = {
  one: { concurrency: 1 },
  fair: { concurrency: 3, window: 2 },
  stops: { order: 'strict', onDead: 'stop' },
  continues: { order: 'strict', onDead: 'continue' },
  skip: { concurrency: 2, whenFull: 'skip' },
  replace: { concurrency: 2, whenFull: 'replace' },
  cancel: { concurrency: 1, whenFull: 'cancel' },
}
const NAMES = Object.keys(TYPES)

// Repeated entries are more likely.
const VERBS = [
  ...(['enqueue', 'enqueue', 'enqueue', 'enqueue', 'claim', 'claim', 'claim', 'claim', 'claim'] as const),
  ...(['complete', 'complete', 'complete', 'fail', 'fail', 'release', 'busy', 'heartbeat', 'promote'] as const),
  ...(['rescue', 'rescue', 'action', 'action', 'action', 'renew', 'cleanup', 'key', 'key', 'group'] as const),
] as const
type Verb = (typeof VERBS)[number]

export const groupSteps = stepsOf(VERBS, [0, 0, 0, 1, 500, 2_000, 4_000, 11_000, 26_000])

export async function declareGroups(kit: Kit, model: Model): Promise<void> {
  const types = Object.entries(TYPES).map(([name, group]) => ({ name, kind: 'job' as const, declared: { group } }))
  await kit.run({ kind: 'declareTypes', types })
  for (const [name, group] of Object.entries(TYPES)) {
    model.kinds.set(name, 'job')
    model.groups.declare(name, group)
  }
}

export function groupOperation({ verb, pick, roll }: Choice<Verb>, model: Model, ids: readonly string[]): Op {
  const id = someId(pick, roll, model, ids)
  const lease = someLease(pick, roll, model) ?? { id, version: 1 }
  switch (verb) {
    case 'enqueue':
      return enqueue(...Array.from({ length: 1 + (pick % 4) }, (_, n) => someJob(pick + (roll % 2) * n, roll + 7 * n)))
    case 'claim': {
      const types = roll % 4 === 0 ? [nameOf(pick)] : null
      return claim({ worker: `worker-${roll % 3}`, types, limit: 1 + (pick % 4), leaseMs: 10_000 })
    }
    case 'complete':
      return complete(lease)
    case 'fail':
      return fail(lease, { retry: roll % 3 > 0, retryInMs: [null, 0, 3_000][pick % 3] ?? null })
    case 'release':
      return release(lease, (pick % 2) * 1_500)
    case 'busy':
      return busy(lease, 300 + (roll % 4) * 1_100)
    case 'heartbeat':
      return heartbeat([lease])
    case 'promote':
      return promote
    case 'rescue':
      return rescue
    case 'action':
      return jobAction((['retry', 'runNow', 'cancel', 'cancel', 'remove'] as const)[roll % 5] ?? 'retry', id)
    case 'renew':
      return { kind: 'renewLeases' }
    case 'cleanup':
      return { kind: 'cleanup', status: ['completed', 'failed'], olderThanMs: 10_000, type: null, limit: 1_000 }
    case 'key':
      return { ...someUpdate(pick, roll), ...someKey(pick, roll, model) }
    case 'group':
      return someUpdate(pick, roll)
  }
}

function nameOf(pick: number): string {
  return NAMES[pick % NAMES.length] ?? 'one'
}

function keyOf(roll: number): string {
  return roll % 4 === 0 ? 'b' : 'a'
}

/** The key of a job; with `resume` mostly of one that may have stopped it. */
function someKey(pick: number, roll: number, { jobs }: Model): Pick<OpOf<'updateGroup'>, 'key' | 'name'> {
  const failed = jobs.filter(({ status, key }) => status === 'failed' && key !== null)
  const all = roll % 2 === 0 && failed.length > 0 ? failed : jobs
  const job = all[pick % all.length]?.input
  return { name: job?.type ?? nameOf(pick), key: job?.groupKey ?? keyOf(roll) }
}

function someJob(pick: number, roll: number): NewJob {
  return plainJob({
    type: nameOf(pick),
    groupKey: roll % 13 === 0 ? null : keyOf(roll),
    priority: roll % 3 === 0 ? (pick % 3) - 1 : 0,
    delayMs: roll % 5 === 0 ? 1_500 : null,
    maxAttempts: [null, 1, 2][roll % 3] ?? null,
    dedupeKey: roll % 9 === 0 ? `key-${pick % 2}` : null,
    dedupeUntil: 'finished',
    expiresAt: roll % 8 === 0 ? START + (roll % 50) * 1_000 : null,
    whenFull: ([null, 'wait', 'skip', 'replace', 'cancel'] as const)[roll % 17] ?? null,
  })
}

/** A pause, another limit, or the declared rules again. */
function someUpdate(pick: number, roll: number): OpOf<'updateGroup'> {
  const name = nameOf(pick)
  const kind = Math.floor(roll / 4) % 5
  if (kind < 2) return updateGroup({ name, clear: ['paused', 'concurrency'], resume: roll % 2 === 0 })
  if (kind === 2) return updateGroup({ name, set: { paused: true } })
  return updateGroup({ name, set: { concurrency: 1 + (pick % 3) } })
}
