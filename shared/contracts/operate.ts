/** What operators send; who they are comes with the connection, not with the input. */
import { z } from 'zod'
import { limits } from '../limits.ts'
import { KINDS } from '../status.ts'
import { queueSettingsSchema, typeSettingsSchema } from '../type-settings.ts'
import { ownTypeName, storable, typeName, workerName } from './fields.ts'
import { jobFilter } from './observe.ts'

export const cleanupInput = z.strictObject({
  olderThanMs: z.int().min(0).max(limits.retentionMs).optional(),
  status: z
    .array(z.enum(['completed', 'failed', 'cancelled']))
    .min(1)
    .optional(),
  type: typeName.optional(),
})

export const BULK_ACTIONS = ['retry', 'runNow', 'cancel', 'remove'] as const
export type BulkAction = (typeof BULK_ACTIONS)[number]

export const bulkInput = z.strictObject({
  action: z.enum(BULK_ACTIONS),
  filter: jobFilter,
  /** How long `undo` stays possible; a remove waits this long before it starts. */
  undoMs: z.int().min(0).max(60_000).default(10_000),
})

/** `cursor` is that of the last answer: counting goes on from there. */
export const bulkCountInput = z.strictObject({ filter: jobFilter, cursor: z.int().min(0).optional() })

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
export const drainInput = z.strictObject({ worker: workerName, drain: z.boolean().default(true) })
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

export type CleanupInput = z.input<typeof cleanupInput>
export type BulkInput = z.input<typeof bulkInput>
export type BulkCountInput = z.input<typeof bulkCountInput>
export type TypeUpdateInput = z.input<typeof typeUpdateInput>
export type SettingsUpdateInput = z.input<typeof settingsUpdateInput>
export type DeclareTypesInput = z.input<typeof declareTypesInput>
export type DrainInput = z.input<typeof drainInput>
export type BackupInput = z.input<typeof backupInput>
export type AuditInput = z.input<typeof auditInput>
