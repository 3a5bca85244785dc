/** Groups in job definitions: typed key functions, and the rules that are declared to the queue. */
import { type GroupSettings, groupSettingsSchema } from '../../../shared/contracts/groups.ts'
import { QueueError } from '../../../shared/errors.ts'
import type { JobDefinitions, JobGroup } from './definition.ts'
import { typeOf } from './definition.ts'
import { parsePart } from './standard-schema.ts'

/** The group as the queue stores it: a key function stays in the process that enqueues. */
export function declaredGroup({ key, ...rules }: JobGroup<never>): GroupSettings {
  return typeof key === 'string' ? { ...rules, key } : rules
}

/** Rejects invalid groups, and types that share a group but declare different rules for it. */
export function checkGroups(definitions: JobDefinitions): void {
  const seen = new Map<string, { readonly rule: unknown; readonly name: string }>()
  const shared = new Map<string, GroupSettings>()
  for (const [name, definition] of Object.entries(definitions)) {
    if (definition.group === undefined) continue
    const settings = declaredGroup(definition.group)
    parsePart(groupSettingsSchema, settings, `The group of ${name}`)
    const { name: given, key: _, ...rules } = settings
    const group = given ?? typeOf(name, definition)
    for (const [rule, value] of Object.entries(rules)) {
      if (value === undefined) continue
      const id = JSON.stringify([group, rule])
      const other = seen.get(id) ?? { rule: value, name }
      seen.set(id, other)
      if (isSameRule(other.rule, value)) continue
      throw new QueueError(
        'BAD_INPUT',
        `${other.name} and ${name} declare different values of ${rule} for group ${group}; declare it once, or give both the same value.`,
      )
    }
    const merged = { ...shared.get(group), ...rules }
    shared.set(group, merged)
    parsePart(groupSettingsSchema, merged, `The rules of group ${group}, which ${name} shares,`)
  }
}

/** Rates are objects; the order of their properties does not matter. */
function isSameRule(one: unknown, other: unknown): boolean {
  const text = (rule: unknown) =>
    JSON.stringify(typeof rule === 'object' && rule !== null ? Object.entries(rule).sort() : rule)
  return text(one) === text(other)
}
