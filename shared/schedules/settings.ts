/** Effective settings of a schedule: an override wins over the declared value, which wins over the default. */
import { DAY } from '../limits.ts'
import type { EffectiveSchedule, ScheduleSettings } from './schedule.ts'

const DEFAULTS = {
  kind: 'job',
  offset: 0,
  timezone: 'UTC',
  catchUp: 'one',
  catchUpWindowMs: DAY,
  overlap: 'skip',
  spread: 0,
  startsAt: null,
  endsAt: null,
  maxRuns: null,
  except: [],
  pauseAfterFailures: null,
  priority: 0,
  maxAttempts: null,
  timeoutMs: null,
  backoff: null,
  expiresInMs: null,
} as const satisfies Partial<EffectiveSchedule>

export function effectiveSchedule(declared: ScheduleSettings | null, override: ScheduleSettings): EffectiveSchedule {
  const pick = <Key extends keyof ScheduleSettings>(key: Key): ScheduleSettings[Key] =>
    override[key] === undefined ? declared?.[key] : override[key]
  // cron and every replace each other: an override of one removes the declared value of the other.
  const rule = override.cron === undefined && override.every === undefined ? (declared ?? {}) : override
  return {
    type: pick('type') ?? '',
    payload: pick('payload') ?? null,
    kind: pick('kind') ?? DEFAULTS.kind,
    cron: rule.cron ?? null,
    every: rule.every ?? null,
    // Of an interval that an override with cron has replaced: it shifts nothing.
    offset: rule.every === undefined ? DEFAULTS.offset : (pick('offset') ?? DEFAULTS.offset),
    timezone: pick('timezone') ?? DEFAULTS.timezone,
    catchUp: pick('catchUp') ?? DEFAULTS.catchUp,
    catchUpWindowMs: pick('catchUpWindowMs') ?? DEFAULTS.catchUpWindowMs,
    overlap: pick('overlap') ?? DEFAULTS.overlap,
    spread: pick('spread') ?? DEFAULTS.spread,
    startsAt: pick('startsAt') ?? DEFAULTS.startsAt,
    endsAt: pick('endsAt') ?? DEFAULTS.endsAt,
    maxRuns: pick('maxRuns') ?? DEFAULTS.maxRuns,
    except: pick('except') ?? DEFAULTS.except,
    pauseAfterFailures: pick('pauseAfterFailures') ?? DEFAULTS.pauseAfterFailures,
    priority: pick('priority') ?? DEFAULTS.priority,
    maxAttempts: pick('maxAttempts') ?? DEFAULTS.maxAttempts,
    timeoutMs: pick('timeoutMs') ?? DEFAULTS.timeoutMs,
    backoff: pick('backoff') ?? DEFAULTS.backoff,
    expiresInMs: pick('expiresInMs') ?? DEFAULTS.expiresInMs,
  }
}

/** Without undefined values, which JSON does not store. */
function canonical(settings: ScheduleSettings): string {
  const given = Object.entries(settings).filter(([, value]) => value !== undefined)
  return JSON.stringify(given.sort(([a], [b]) => (a < b ? -1 : 1)))
}

export function equalSettings(one: ScheduleSettings, other: ScheduleSettings): boolean {
  return canonical(one) === canonical(other)
}

/** `set` overrides; `clear` removes overrides. A new cron removes an overridden interval with its offset, and the reverse. */
export function changeOverride(
  override: ScheduleSettings,
  set: ScheduleSettings,
  clear: readonly (keyof ScheduleSettings)[],
): ScheduleSettings {
  const replaced = set.cron !== undefined ? ['every', 'offset'] : set.every !== undefined ? ['cron'] : []
  const kept = Object.entries(override).filter(([key]) => ![...replaced, ...clear].includes(key))
  const given = Object.entries(set).filter(([, value]) => value !== undefined)
  return Object.fromEntries([...kept, ...given])
}
