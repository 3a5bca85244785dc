/** Rules for tests of schedules. */
import type { EffectiveSchedule, ScheduleSettings } from '../../../shared/schedules/schedule.ts'
import { effectiveSchedule } from '../../../shared/schedules/settings.ts'

export function ruleOf(settings: ScheduleSettings): EffectiveSchedule {
  return effectiveSchedule(null, { type: 'report', payload: 1, ...settings })
}

/** `2026-03-08 03:00`, as clocks in the zone show it. */
export function local(zone: string, at: number): string {
  return new Date(at).toLocaleString('sv', { timeZone: zone }).slice(0, 16)
}
