/** Columns of a claimed job, and the job that the store returns for it. */
import type { EffectiveSettings } from '../../../shared/settings/settings.ts'
import type { ClaimedRow } from '../ops.ts'
import { columnsOf, type RowOf } from './tables.ts'

export const CLAIMED = columnsOf('jobs', [
  ...([
    'seq',
    'id',
    'type',
    'version',
    'attempts',
    'maxAttempts',
    'crashes',
    'priority',
    'runAt',
    'createdAt',
  ] as const),
  ...(['startedAt', 'leaseUntil', 'timeoutMs', 'traceparent', 'tick'] as const),
])

/** Values that the job does not set come from its type. A completed job has no lease any more. Other columns of the row are left out. */
export function toClaimed(
  row: RowOf<typeof CLAIMED>,
  payload: string,
  { maxAttempts, timeoutMs }: EffectiveSettings,
): ClaimedRow {
  const startedAt = row.startedAt ?? row.createdAt
  return {
    seq: row.seq,
    id: row.id,
    type: row.type,
    version: row.version,
    attempts: row.attempts,
    maxAttempts: row.maxAttempts ?? maxAttempts,
    crashes: row.crashes,
    priority: row.priority,
    runAt: row.runAt,
    createdAt: row.createdAt,
    startedAt,
    leaseUntil: row.leaseUntil ?? startedAt,
    timeoutMs: row.timeoutMs ?? timeoutMs,
    traceparent: row.traceparent,
    tick: row.tick,
    payload,
  }
}
