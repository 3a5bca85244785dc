/** The job of one tick of a schedule. */
import type { WhenFull } from '../../../shared/contracts/groups.ts'
import { SCHEDULES_GROUP } from '../../../shared/groups/rules.ts'
import { encodePayload } from '../../../shared/json/text.ts'
import type { EffectiveSchedule, JobTick, Overlap } from '../../../shared/schedules/schedule.ts'
import { newId } from '../../base/ids.ts'
import type { NewJob } from '../../store/ops.ts'

/** What the group of the schedule does while the job of an earlier tick is unfinished. */
const WHEN_FULL: Readonly<Record<Exclude<Overlap, 'allow'>, WhenFull>> = {
  skip: 'skip',
  queueOne: 'replace',
  queueAll: 'wait',
  cancel: 'cancel',
}

export interface ScheduleJobOptions {
  readonly effective: EffectiveSchedule
  readonly tick: JobTick
  readonly now: number
  /** null: not deduplicated. */
  readonly dedupeKey: string | null
  readonly maxPayloadBytes: number
}

/** Throws a QueueError when the payload cannot be stored. */
export function scheduleJob({ effective, tick, now, dedupeKey, maxPayloadBytes }: ScheduleJobOptions): NewJob {
  const { overlap, expiresInMs } = effective
  return {
    id: newId(),
    type: effective.type,
    kind: effective.kind,
    payload: encodePayload(effective.payload, maxPayloadBytes, 'payload'),
    priority: effective.priority,
    delayMs: null,
    runAt: null,
    maxAttempts: effective.maxAttempts,
    timeoutMs: effective.timeoutMs,
    backoff: effective.backoff,
    dedupeKey,
    dedupeUntil: 'removed',
    expiresAt: expiresInMs === null ? null : now + expiresInMs,
    face: 'schedule',
    traceparent: null,
    // Backfills run beside the regular jobs: with an overlap policy they would skip each other.
    ...(overlap === 'allow' || tick.backfill
      ? { groupName: null, groupKey: null, whenFull: null }
      : { groupName: SCHEDULES_GROUP, groupKey: tick.schedule, whenFull: WHEN_FULL[overlap] }),
    tick,
  }
}

/** One job per tick, also when a backfill is repeated. */
export function tickKey(name: string, at: number): string {
  return `schedule:${name}:${at}`
}
