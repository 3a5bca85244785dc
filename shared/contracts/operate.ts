/** Inputs of operator procedures. The actor comes from the connection, not from the input. */
import { z } from 'zod'
import { limits } from '../limits.ts'
import {
  type QueueSettings,
  type QueueSettingsInput,
  queueSettingsSchema,
  type TypeSettings,
  type TypeSettingsInput,
  typeSettingsSchema,
} from '../settings/settings.ts'
import { type JobKind, KINDS } from '../status.ts'
import { clientTypeName, storable, typeName, workerName } from './fields.ts'
import { type JobFilter, jobFilter } from './observe.ts'

export const cleanupInput = z.strictObject({
  olderThanMs: z.int().min(0).max(limits.retentionMs).optional(),
  status: z
    .array(z.enum(['completed', 'failed', 'cancelled']))
    .min(1)
    .optional(),
  type: typeName.optional(),
})

/** Actions of bulk operations. */
export const BULK_ACTIONS = ['retry', 'runNow', 'cancel', 'remove'] as const
/** Action of a bulk operation on each job. */
export type BulkAction = (typeof BULK_ACTIONS)[number]

export const bulkInput = z.strictObject({
  action: z.enum(BULK_ACTIONS),
  filter: jobFilter,
  undoMs: z.int().min(0).max(60_000).default(10_000),
})

/** `cursor` is that of the previous response: counting continues from there. */
export const bulkCountInput = z.strictObject({
  filter: jobFilter,
  cursor: z.int().min(0).optional(),
})

/** Drops properties that are undefined. */
function withoutUndefined<Settings extends object>(settings: Settings): Settings {
  const given = { ...settings }
  for (const key in given) if (given[key] === undefined) Reflect.deleteProperty(given, key)
  return given
}

/** `set` overrides settings (null: no limit); `clear` removes overrides, so that the layer below applies again. */
export const typeUpdateInput = z.strictObject({
  name: typeName,
  set: typeSettingsSchema.overwrite(withoutUndefined).default({}),
  clear: z.array(typeSettingsSchema.keyof()).default([]),
})
export const settingsUpdateInput = z.strictObject({
  set: queueSettingsSchema.overwrite(withoutUndefined).default({}),
  clear: z.array(queueSettingsSchema.keyof()).default([]),
})
/** Job types declared by code. */
export const declareTypesInput = z.strictObject({
  types: z
    .array(
      z.strictObject({
        name: clientTypeName,
        kind: z.enum(KINDS).default('job'),
        settings: typeSettingsSchema.default({}),
      }),
    )
    .max(limits.declareTypes),
})
/** `drain: false` undoes a drain. */
export const drainInput = z.strictObject({
  worker: workerName,
  drain: z.boolean().default(true),
})
/** File name in the backup folder of the server; default: a name with the date. */
export const backupInput = z.strictObject({
  name: z
    .string()
    .max(100)
    .regex(
      /^[A-Za-z0-9][\w.-]*$/,
      'must consist of letters, digits, dots, dashes and underscores, and start with a letter or digit',
    )
    .optional(),
})
export const auditInput = z.strictObject({
  action: storable(100),
  target: storable(limits.keyLength).optional(),
  details: z.record(z.string(), z.unknown()).default({}),
})

/** Filter of finished jobs to delete. */
export interface CleanupInput {
  /** Delete jobs that finished longer ago than this, in milliseconds; default: the retention of each type. */
  olderThanMs?: number | undefined
  /** Delete only jobs with these statuses; default `completed`. */
  status?: ('cancelled' | 'completed' | 'failed')[] | undefined
  /** Delete only jobs of this type; default: all types. */
  type?: string | undefined
}

/** One operation on all jobs that match a filter. */
export interface BulkInput {
  /** The action on every matching job. */
  action: BulkAction
  /** Filter of the jobs. */
  filter: JobFilter
  /**
   * How long `undoBulk` is possible, in milliseconds; `remove` starts after this time; default 10,000.
   */
  undoMs?: number | undefined
}

/** Jobs to count before a bulk operation. */
export interface BulkCountInput {
  /** Filter of the jobs. */
  filter: JobFilter
  /** The cursor of the previous response: counting continues from there. */
  cursor?: number | undefined
}

/** Overrides of the settings of one type. */
export interface TypeUpdateInput {
  /** The name of the type. */
  name: string
  /** Settings to override; null means 'no limit'; default: none. */
  set?: TypeSettingsInput | undefined
  /** Overrides to remove, so that the declared setting applies again; default: none. */
  clear?: (keyof TypeSettings)[] | undefined
}

/** Changes of the queue-wide settings. */
export interface SettingsUpdateInput {
  /** Queue-wide settings to change; null means 'no limit'; default: none. */
  set?: QueueSettingsInput | undefined
  /** Queue-wide settings to remove, so that the default of the server applies again; default: none. */
  clear?: (keyof QueueSettings)[] | undefined
}

/** Job types and their settings, declared by code. */
export interface DeclareTypesInput {
  /** The types, each with its name, kind and settings. */
  types: { name: string; kind?: JobKind | undefined; settings?: TypeSettingsInput | undefined }[]
}

/** The worker to drain. */
export interface DrainInput {
  /** The name of the worker. */
  worker: string
  /** true: the worker finishes its jobs and stops; false: undo; default true. */
  drain?: boolean | undefined
}

/** Target of a backup by the server. */
export interface BackupInput {
  /** File name in the backup folder of the server; default: a name with the date. */
  name?: string | undefined
}

/** An audit entry. */
export interface AuditInput {
  /** The action. */
  action: string
  /** The target: a job id or a type name. */
  target?: string | undefined
  /** Further details; default: none. */
  details?: Record<string, unknown> | undefined
}
