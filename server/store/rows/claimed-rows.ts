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

/** Values that the job does not set come from its type. A completed job has no lease any more. */
export function toClaimed(
  row: RowOf<typeof CLAIMED>,
  payload: string,
  { maxAttempts, timeoutMs }: EffectiveSettings,
): ClaimedRow {
  const startedAt = row.startedAt ?? row.createdAt
  return {
    ...row,
    startedAt,
    maxAttempts: row.maxAttempts ?? maxAttempts,
    timeoutMs: row.timeoutMs ?? timeoutMs,
    leaseUntil: row.leaseUntil ?? startedAt,
    payload,
  }
}
