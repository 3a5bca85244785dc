/** What is known of an operation's jobs before it is decided. */
import { QueueError } from '../../../../shared/errors.ts'
import type { JobGroup } from '../../decisions/group-of-job.ts'
import type { NewJob, Op, OpKind, OpOf } from '../../ops.ts'
import type { Catalog } from '../claims/catalog.ts'

/** Their jobs are counted already, and they have no keys but those of these jobs. */
const SETTLES: ReadonlySet<OpKind> = new Set<OpKind>([
  ...(['complete', 'fail', 'release', 'heartbeat', 'progress', 'log', 'claim'] as const),
])

/** The jobs that an operation decides about. */
export function idsOf(op: Op): readonly string[] {
  switch (op.kind) {
    case 'complete':
    case 'fail':
    case 'release':
    case 'progress':
    case 'log':
    case 'jobAction':
      return [op.id]
    case 'heartbeat':
      return op.leases.map(({ id }) => id)
    case 'bulkApply':
      return op.jobs
    default:
      return []
  }
}

/** By the rules in memory. */
export function mayHaveKey({ type, groupKey }: NewJob, catalog: Catalog): boolean {
  return groupKey !== null || !catalog.isLoaded || catalog.effective(type).group?.key !== undefined
}

/**
 * By the rules in memory: all keys of the operation are those of its jobs, and it cancels no running job. If another node has just
 * changed the rules, PostgreSQL may find a deadlock, and the commit is retried with the new ones.
 */
export function addsNoKeys(op: Op, catalog: Catalog): boolean {
  if (SETTLES.has(op.kind)) return true
  return op.kind === 'enqueue' && op.jobs.every((job) => !mayHaveKey(job, catalog))
}

/** An operation with two kinds of one type is refused whole; otherwise only a part of its jobs would be stored. */
export function refuseMixedKinds({ jobs }: OpOf<'enqueue'>): void {
  const kinds = new Map<string, string>()
  for (const { type, kind } of jobs) {
    const known = kinds.get(type) ?? kind
    kinds.set(type, known)
    if (known !== kind) {
      throw new QueueError('WRONG_STATE', `Type ${type} holds ${known}s, not ${kind}s; choose another name.`, {
        type,
      })
    }
  }
}

/** The jobs that an operation enqueues. */
export function newJobsOf(op: Op): readonly NewJob[] {
  if (op.kind === 'enqueue') return op.jobs
  return op.kind === 'schedule' || op.kind === 'backfillApply' ? op.ticks.flatMap(({ job }) => job ?? []) : []
}

/** The key whose running jobs a new one cancels, as far as the job itself states it. */
export function keyToCancel({ whenFull, groupName, groupKey }: NewJob): readonly JobGroup[] {
  return whenFull === 'cancel' && groupName !== null && groupKey !== null ? [{ name: groupName, key: groupKey }] : []
}
