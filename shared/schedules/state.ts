/** State of a schedule, and the rule that its ticks follow. */
import type { EffectiveSchedule, ScheduleState } from './schedule.ts'

interface Stored {
  readonly pausedAt: number | null
  readonly orphanedAt: number | null
  readonly nextRunAt: number | null
}

/** In the same order as the conditions of the stores. */
export function stateOf({ pausedAt, orphanedAt, nextRunAt }: Stored): ScheduleState {
  if (pausedAt !== null) return 'paused'
  if (orphanedAt !== null) return 'orphaned'
  return nextRunAt === null ? 'ended' : 'active'
}

/** The settings with the end of an orphaned schedule: its grace period is an end of the rule. */
export function boundedRule(effective: EffectiveSchedule, stopsAt: number | null): EffectiveSchedule {
  if (stopsAt === null) return effective
  return { ...effective, endsAt: Math.min(stopsAt, effective.endsAt ?? stopsAt) }
}
