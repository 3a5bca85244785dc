/** Rows whose columns hold JSON as text, and the queue's settings, which are all of that kind. */
import { QueueError } from '../../../shared/errors.ts'
import { type QueueSettings, queueSettingsSchema, type TypeSettings } from '../../../shared/settings.ts'

/** A row whose columns `Keys` are still JSON text. */
export type Encoded<Row, Keys extends keyof Row> = Omit<Row, Keys> & { readonly [Key in Keys]: string }

/** A key that only a newer version knows is left alone; a known one with a wrong value must not pass silently. */
export function parseSettings(rows: readonly { readonly key: string; readonly value: string }[]): QueueSettings {
  const known = rows.filter(({ key }) => key in queueSettingsSchema.shape)
  const values = known.map(({ key, value }) => [key, parseValue(key, value)] as const)
  const parsed = queueSettingsSchema.safeParse(Object.fromEntries(values))
  if (!parsed.success) throw badSetting(String(parsed.error.issues[0]?.path[0]))
  return parsed.data
}

/** The types that are paused: what an operator set counts before what code declared. */
export function pausedOf(
  rows: readonly { readonly name: string; readonly declared: string; readonly override: string }[],
): ReadonlySet<string> {
  const paused = rows.filter(({ declared, override }) => {
    const set: TypeSettings = JSON.parse(override)
    const said: TypeSettings = JSON.parse(declared)
    return set.paused ?? said.paused ?? false
  })
  return new Set(paused.map(({ name }) => name))
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
