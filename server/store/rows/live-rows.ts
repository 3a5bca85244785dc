/** Columns of a job that decisions need, and the job that they decide about. */

import type { LiveJob } from '../../../shared/lifecycle.ts'
import type { Backoff } from '../../../shared/settings/backoff.ts'
import { columnsOf, type RowOf, type TupleOf } from './tables.ts'

export const LIVE = columnsOf('jobs', [
  ...(['seq', 'id', 'type', 'status', 'attempts', 'maxAttempts', 'crashes', 'version', 'runAt', 'leaseUntil'] as const),
  ...(['leaseMs', 'lockedBy', 'error', 'timeoutMs', 'backoff', 'cancelRequestedAt', 'startedAt'] as const),
  ...(['finishedAt', 'dedupeKey', 'expiresAt', 'face', 'unconfirmedClaims', 'tick', 'groupName', 'groupKey'] as const),
])
export type LiveRecord = RowOf<typeof LIVE>
export type LiveTuple = TupleOf<typeof LIVE>

/** A job with the columns that identify it in the tables. */
export interface LiveRow
  extends LiveJob,
    Pick<LiveRecord, 'seq' | 'type' | 'dedupeKey' | 'groupName' | 'groupKey' | 'tick'> {}

const { at } = LIVE

export function liveFromRecord(record: LiveRecord): LiveRow {
  return { ...record, backoff: parseBackoff(record.backoff) }
}

/** From a row that was read as an array: half the cost of objects with twenty keys. */
export function liveFromTuple(row: LiveTuple): LiveRow {
  return {
    seq: row[at.seq],
    id: row[at.id],
    type: row[at.type],
    status: row[at.status],
    attempts: row[at.attempts],
    maxAttempts: row[at.maxAttempts],
    crashes: row[at.crashes],
    version: row[at.version],
    runAt: row[at.runAt],
    leaseUntil: row[at.leaseUntil],
    leaseMs: row[at.leaseMs],
    lockedBy: row[at.lockedBy],
    error: row[at.error],
    timeoutMs: row[at.timeoutMs],
    backoff: parseBackoff(row[at.backoff]),
    cancelRequestedAt: row[at.cancelRequestedAt],
    startedAt: row[at.startedAt],
    finishedAt: row[at.finishedAt],
    dedupeKey: row[at.dedupeKey],
    expiresAt: row[at.expiresAt],
    face: row[at.face],
    unconfirmedClaims: row[at.unconfirmedClaims],
    tick: row[at.tick],
    groupName: row[at.groupName],
    groupKey: row[at.groupKey],
  }
}

function parseBackoff(json: string | null): Backoff | null {
  return json === null ? null : JSON.parse(json)
}
