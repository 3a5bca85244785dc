/** Conversion of a claimed row to the job that a worker receives. */
import type { ClaimedJob } from '../../../shared/job.ts'
import type { JobTick } from '../../../shared/schedules/schedule.ts'
import type { ClaimedRow } from '../../store/ops.ts'

/** Longer payloads are parsed on first access: a job that is only forwarded is never parsed. */
const LAZY_LENGTH = 4_096

export function toClaimedJob(row: ClaimedRow): ClaimedJob {
  if (row.payload.length > LAZY_LENGTH) return withLazyPayload(row)
  return {
    id: row.id,
    seq: row.seq,
    type: row.type,
    payload: JSON.parse(row.payload),
    version: row.version,
    attempts: row.attempts,
    maxAttempts: row.maxAttempts,
    crashes: row.crashes,
    priority: row.priority,
    runAt: row.runAt,
    createdAt: row.createdAt,
    startedAt: row.startedAt,
    leaseUntil: row.leaseUntil,
    timeoutMs: row.timeoutMs,
    traceparent: row.traceparent,
    tick: parseTick(row.tick),
  }
}

function withLazyPayload(row: ClaimedRow): ClaimedJob {
  const { payload: text, tick, ...job } = row
  let parsed: { readonly payload: unknown } | undefined
  return {
    ...job,
    tick: parseTick(tick),
    get payload() {
      parsed ??= { payload: JSON.parse(text) }
      return parsed.payload
    },
  }
}

function parseTick(json: string | null): JobTick | null {
  return json === null ? null : JSON.parse(json)
}
