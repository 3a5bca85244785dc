/** Rows with columns of JSON text, and the queue's settings, which are stored as JSON. */
import { QueueError } from '../../../shared/errors.ts'
import type { BackfillRange } from '../../../shared/records.ts'
import { type QueueSettings, queueSettingsSchema, type TypeSettings } from '../../../shared/settings/settings.ts'

/** A row whose columns `Keys` are JSON text. */
export type Encoded<Row, Keys extends keyof Row> = Omit<Row, Keys> & { readonly [Key in Keys]: string }

/** Keys of a newer version are ignored. A known key with an invalid value throws. */
export function parseSettings(rows: readonly { readonly key: string; readonly value: string }[]): QueueSettings {
  const known = rows.filter(({ key }) => key in queueSettingsSchema.shape)
  const values = known.map(({ key, value }) => [key, parseValue(key, value)] as const)
  const parsed = queueSettingsSchema.safeParse(Object.fromEntries(values))
  if (!parsed.success) throw badSetting(String(parsed.error.issues[0]?.path[0]))
  return parsed.data
}

/** The paused types: an override counts before the declared setting. */
export function pausedOf(
  rows: readonly { readonly name: string; readonly declared: string; readonly override: string }[],
): ReadonlySet<string> {
  const paused = rows.filter(({ declared, override }) => {
    const overridden: TypeSettings = JSON.parse(override)
    const inCode: TypeSettings = JSON.parse(declared)
    return overridden.paused ?? inCode.paused ?? false
  })
  return new Set(paused.map(({ name }) => name))
}

export function parseBackfill(json: string | null): BackfillRange | null {
  return json === null ? null : JSON.parse(json)
}

function parseValue(key: string, json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    throw badSetting(key)
  }
}

function badSetting(key: string): QueueError {
  return new QueueError('STORE_FAILED', `The stored setting ${key} is not valid; set it again or delete its row.`, {
    key,
  })
}
