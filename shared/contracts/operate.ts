/** What operators send; who they are comes with the connection, not with the input. */
import { z } from 'zod'
import { limits } from '../limits.ts'
import { KINDS } from '../status.ts'
import { queueSettingsSchema, typeSettingsSchema } from '../type-settings.ts'
import { ownTypeName, storable, typeName, workerName } from './fields.ts'
import { jobFilter } from './observe.ts'

export const cleanupInput = z.strictObject({
  /** Remove jobs that finished longer ago than this, in milliseconds; default: the retention of each type. */
  olderThanMs: z.int().min(0).max(limits.retentionMs).optional(),
  /** Remove only jobs with these statuses; default `completed`. */
  status: z
    .array(z.enum(['completed', 'failed', 'cancelled']))
    .min(1)
    .optional(),
  /** Remove only jobs of this type; default: all types. */
  type: typeName.optional(),
})

/** What a bulk operation can do. */
export const BULK_ACTIONS = ['retry', 'runNow', 'cancel', 'remove'] as const
/** What a bulk operation can do with each job. */
export type BulkAction = (typeof BULK_ACTIONS)[number]

export const bulkInput = z.strictObject({
  /** What to do with every job that matches. */
  action: z.enum(BULK_ACTIONS),
  /** Which jobs. */
  filter: jobFilter,
  /** How long `undoBulk` stays possible, in milliseconds; a removal waits this long before it starts; default 10,000. */
  undoMs: z.int().min(0).max(60_000).default(10_000),
})

/** `cursor` is that of the last answer: counting goes on from there. */
export const bulkCountInput = z.strictObject({
  /** Which jobs. */
  filter: jobFilter,
  /** The cursor of the last answer: counting continues from there. */
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
  /** The name of the type. */
  name: typeName,
  /** Settings to override; null means "no limit"; default: none. */
  set: typeSettingsSchema.overwrite(withoutUndefined).default({}),
  /** Overrides to take away, so that the declared setting holds again; default: none. */
  clear: z.array(typeSettingsSchema.keyof()).default([]),
})
export const settingsUpdateInput = z.strictObject({
  /** Queue-wide settings to change; null means "no limit"; default: none. */
  set: queueSettingsSchema.overwrite(withoutUndefined).default({}),
  /** Queue-wide settings to take away, so that the server's default holds again; default: none. */
  clear: z.array(queueSettingsSchema.keyof()).default([]),
})
/** What code says about its types. */
export const declareTypesInput = z.strictObject({
  /** The types, each with its name, kind and settings. */
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
  /** The name of the worker. */
  worker: workerName,
  /** true lets the worker finish its jobs and stop; false cancels that; default true. */
  drain: z.boolean().default(true),
})
/** A name in the server's folder for backups; default: one with the date. */
export const backupInput = z.strictObject({
  /** The name of the copy in the server's folder for backups; default: one with the date. */
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
  /** What was done. */
  action: storable(100),
  /** What it was done to: the id of a job, the name of a type. */
  target: storable(limits.keyLength).optional(),
  /** Anything else worth keeping; default: nothing. */
  details: z.record(z.string(), z.unknown()).default({}),
})

/** Which finished jobs to remove. */
export type CleanupInput = z.input<typeof cleanupInput>
/** One operation on all jobs that match a filter. */
export type BulkInput = z.input<typeof bulkInput>
/** Which jobs to count before a bulk operation. */
export type BulkCountInput = z.input<typeof bulkCountInput>
/** Overrides of the settings of one type. */
export type TypeUpdateInput = z.input<typeof typeUpdateInput>
/** Changes of the queue-wide settings. */
export type SettingsUpdateInput = z.input<typeof settingsUpdateInput>
/** Types and their settings as code declares them. */
export type DeclareTypesInput = z.input<typeof declareTypesInput>
/** Which worker is to finish and stop. */
export type DrainInput = z.input<typeof drainInput>
/** Where the server puts a copy of its SQLite file. */
export type BackupInput = z.input<typeof backupInput>
/** An entry for the audit trail. */
export type AuditInput = z.input<typeof auditInput>
