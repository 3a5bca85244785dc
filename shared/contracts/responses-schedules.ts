/** Response schemas of the schedule procedures, used for OpenAPI. Type tests keep them equal to the types. */
import { z } from 'zod'
import { CATCH_UPS, OVERLAPS, SCHEDULE_STATES, TICK_ORIGINS, TICK_OUTCOMES } from '../schedules/schedule.ts'
import { backoffSchema } from '../settings/backoff.ts'
import { KINDS } from '../status.ts'
import { scheduleSettingsSchema } from './schedules.ts'

const instant = z.int()
const state = z.enum(SCHEDULE_STATES)

export const effectiveSchedule = z.object({
  type: z.string(),
  payload: z.unknown(),
  kind: z.enum(KINDS),
  cron: z.string().nullable(),
  every: z.int().nullable(),
  offset: z.int(),
  timezone: z.string(),
  catchUp: z.enum(CATCH_UPS),
  catchUpWindowMs: z.int(),
  overlap: z.enum(OVERLAPS),
  spread: z.union([z.int(), z.string()]),
  startsAt: instant.nullable(),
  endsAt: instant.nullable(),
  maxRuns: z.int().nullable(),
  except: z.array(z.union([instant, z.string()])),
  pauseAfterFailures: z.int().nullable(),
  priority: z.int(),
  maxAttempts: z.int().nullable(),
  timeoutMs: z.int().nullable(),
  backoff: backoffSchema.nullable(),
  expiresInMs: z.int().nullable(),
})

export const schedule = z.object({
  name: z.string(),
  owner: z.string().nullable(),
  declared: scheduleSettingsSchema.nullable(),
  override: scheduleSettingsSchema,
  effective: effectiveSchedule,
  text: z.string(),
  state,
  nextTickAt: instant.nullable(),
  nextRunAt: instant.nullable(),
  lastTickAt: instant.nullable(),
  runs: z.int(),
  failures: z.int(),
  paused: z.object({ at: instant, actor: z.string(), note: z.string().nullable() }).nullable(),
  orphanedAt: instant.nullable(),
  stopsAt: instant.nullable(),
  lastSuccessAt: instant.nullable(),
  lastFailureAt: instant.nullable(),
  revision: z.int(),
  createdAt: instant,
  updatedAt: instant,
})

export const schedulesResponse = z.object({ schedules: z.array(schedule), nextCursor: z.string().nullable() })

export const nextTick = z.object({ at: instant, dueAt: instant, note: z.string().nullable() })

export const scheduleTick = z.object({
  at: instant,
  dueAt: instant,
  processedAt: instant,
  origin: z.enum(TICK_ORIGINS),
  outcome: z.enum(TICK_OUTCOMES),
  jobId: z.uuid().nullable(),
  missed: z.int(),
  note: z.string().nullable(),
})

export const scheduleResponse = schedule.extend({ ticks: z.array(scheduleTick), next: z.array(nextTick) })

export const schedulePreviewResponse = z.object({ text: z.string(), ticks: z.array(nextTick) })

export const scheduleRunResponse = z.object({ outcome: z.enum(TICK_OUTCOMES), jobId: z.uuid().nullable() })

export const scheduleExplainResponse = z.object({
  name: z.string(),
  state,
  reason: z.enum([
    ...(['clock_untrusted', 'ended', 'orphaned', 'overdue', 'paused', 'stopped_orphaned'] as const),
    ...(['type_paused', 'queue_paused', 'waiting'] as const),
  ]),
  text: z.string(),
  at: instant.nullable(),
})

export const declareSchedulesResponse = z.object({
  created: z.array(z.string()),
  changed: z.array(z.string()),
  orphaned: z.array(z.string()),
})
