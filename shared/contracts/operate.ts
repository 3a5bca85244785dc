/** What operators send; who they are comes with the connection, not with the input. */
import { z } from 'zod'
import { limits } from '../limits.ts'
import {
  type QueueSettings,
  type QueueSettingsInput,
  queueSettingsSchema,
  type TypeSettings,
  type TypeSettingsInput,
  typeSettingsSchema,
} from '../settings.ts'
import { type JobKind, KINDS } from '../status.ts'
import { ownTypeName, storable, typeName, workerName } from './fields.ts'
import { type JobFilter, jobFilter } from './observe.ts'

export const cleanupInput = z.strictObject({
  olderThanMs: z.int().min(0).max(limits.retentionMs).optional(),
  status: z
    .array(z.enum(['completed', 'failed', 'cancelled']))
    .min(1)
    .optional(),
  type: typeName.optional(),
})

/** What a bulk operation can do. */
export const BULK_ACTIONS = ['retry', 'runNow', 'cancel', 'remove'] as const
/** What a bulk operation can do with each job. */
export type BulkAction = (typeof BULK_ACTIONS)[number]

export const bulkInput = z.strictObject({
  action: z.enum(BULK_ACTIONS),
  filter: jobFilter,
  undoMs: z.int().min(0).max(60_000).default(10_000),
})

/** `cursor` is that of the last answer: counting goes on from there. */
export const bulkCountInput = z.strictObject({
  filter: jobFilter,
  cursor: z.int().min(0).optional(),
})

/** undefined means "not given", as it does everywhere else in TypeScript. */
function withoutUndefined<Settings extends object>(settings: Settings): Settings {
  const given = { ...settings }
  for (const key in given) if (given[key] === undefined) Reflect.deleteProperty(given, key)
  return given
}

/** `set` overrides (null there means "no limit"); `clear` takes overrides away, so that the layer below holds again. */
export const typeUpdateInput = z.strictObject({
  name: typeName,
  set: typeSettingsSchema.overwrite(withoutUndefined).default({}),
  clear: z.array(typeSettingsSchema.keyof()).default([]),
})
export const settingsUpdateInput = z.strictObject({
  set: queueSettingsSchema.overwrite(withoutUndefined).default({}),
  clear: z.array(queueSettingsSchema.keyof()).default([]),
})
/** What code says about its types. */
export const declareTypesInput = z.strictObject({
  types: z
    .array(
      z.strictObject({
        name: ownTypeName,
        kind: z.enum(KINDS).default('job'),
        settings: typeSettingsSchema.default({}),
      }),
    )
    .max(limits.declareTypes),
})
/** `drain: false` takes a worker back into service. */
export const drainInput = z.strictObject({
  worker: workerName,
  drain: z.boolean().default(true),
})
/** A name in the server's folder for backups; default: one with the date. */
export const backupInput = z.strictObject({
  name: z
    .string()
    .max(100)
    .regex(
      /^[A-Za-z0-9][\w.-]*$/,
      'must be letters, digits, dots, dashes and underscores, and begin with a letter or digit',
    )
    .optional(),
})
export const auditInput = z.strictObject({
  action: storable(100),
  target: storable(limits.keyLength).optional(),
  details: z.record(z.string(), z.unknown()).default({}),
})

/** Which finished jobs to remove. */
export interface CleanupInput {
  /** Remove jobs that finished longer ago than this, in milliseconds; default: the retention of each type. */
  olderThanMs?: number | undefined
  /** Remove only jobs with these statuses; default `completed`. */
  status?: ('cancelled' | 'completed' | 'failed')[] | undefined
  /** Remove only jobs of this type; default: all types. */
  type?: string | undefined
}

/** One operation on all jobs that match a filter. */
export interface BulkInput {
  /** What to do with every job that matches. */
  action: BulkAction
  /** Which jobs. */
  filter: JobFilter
  /**
   * How long `undoBulk` stays possible, in milliseconds; a removal waits this long before it starts; default 10,000.
   */
  undoMs?: number | undefined
}

/** Which jobs to count before a bulk operation. */
export interface BulkCountInput {
  /** Which jobs. */
  filter: JobFilter
  /** The cursor of the last answer: counting continues from there. */
  cursor?: number | undefined
}

/** Overrides of the settings of one type. */
export interface TypeUpdateInput {
  /** The name of the type. */
  name: string
  /** Settings to override; null means 'no limit'; default: none. */
  set?: TypeSettingsInput | undefined
  /** Overrides to take away, so that the declared setting holds again; default: none. */
  clear?: (keyof TypeSettings)[] | undefined
}

/** Changes of the queue-wide settings. */
export interface SettingsUpdateInput {
  /** Queue-wide settings to change; null means 'no limit'; default: none. */
  set?: QueueSettingsInput | undefined
  /** Queue-wide settings to take away, so that the server's default holds again; default: none. */
  clear?: (keyof QueueSettings)[] | undefined
}

/** Types and their settings as code declares them. */
export interface DeclareTypesInput {
  /** The types, each with its name, kind and settings. */
  types: { name: string; kind?: JobKind | undefined; settings?: TypeSettingsInput | undefined }[]
}

/** Which worker is to finish and stop. */
export interface DrainInput {
  /** The name of the worker. */
  worker: string
  /** true lets the worker finish its jobs and stop; false cancels that; default true. */
  drain?: boolean | undefined
}

/** Where the server puts a copy of its SQLite file. */
export interface BackupInput {
  /** The name of the copy in the server's folder for backups; default: one with the date. */
  name?: string | undefined
}

/** An entry for the audit trail. */
export interface AuditInput {
  /** What was done. */
  action: string
  /** What it was done to: the id of a job, the name of a type. */
  target?: string | undefined
  /** Anything else worth keeping; default: nothing. */
  details?: Record<string, unknown> | undefined
}
