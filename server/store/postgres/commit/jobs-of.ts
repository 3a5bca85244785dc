/** What is known of an operation's jobs before it is decided. */
import { QueueError } from '../../../../shared/errors.ts'
import type { NewJob, Op, OpOf } from '../../ops.ts'
import type { Catalog } from '../claims/catalog.ts'

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
