/** Verbs of groups: their rules, their keys, and overrides by operators. */
import type { GroupRules } from '../../../shared/contracts/groups.ts'
import type { GroupKeyRow, GroupRow } from '../../../shared/groups/records.ts'
import { declaredGroupRules, effectiveGroupRules } from '../../../shared/groups/rules.ts'
import type { TypeRow } from '../../../shared/records.ts'
import type { ParsedVerbs } from '../../../shared/verbs/verb-inputs.ts'
import { EMPTY_KEY } from '../../store/decisions/group-slots.ts'
import type { GroupTotals, StoredKey } from '../../store/records.ts'
import type { Store } from '../../store/store.ts'
import type { GroupCommit } from '../commit/group-commit.ts'
import type { EventLog } from '../events.ts'
import type { GroupAdmitter } from '../services/group-admitter.ts'

type GroupVerbs = Pick<ParsedVerbs, 'groups' | 'groupKeys' | 'groupKey' | 'updateGroup'>

export interface GroupVerbsParts {
  readonly store: Store
  readonly commits: GroupCommit
  readonly events: EventLog
  readonly admitter: GroupAdmitter
}

/** Rules of a group without those of its keys. */
interface RulesOfGroup {
  readonly types: readonly string[]
  readonly declared: readonly GroupRules[]
  readonly override: GroupRules
}

export function createGroupVerbs({ store, commits, events, admitter }: GroupVerbsParts): GroupVerbs {
  async function rulesOf(name: string): Promise<RulesOfGroup> {
    const [types, overrides] = await Promise.all([store.types(), store.groupOverrides()])
    return rulesOfGroup(name, types, overrides)
  }

  return {
    async groups({ search, limit, cursor }) {
      const [totals, types, overrides] = await Promise.all([store.groupTotals(), store.types(), store.groupOverrides()])
      const byName = new Map(totals.map((row) => [row.name, row]))
      const declared = types.filter(({ effective }) => effective.group !== null).map(nameOfGroup)
      const names = [...new Set([...byName.keys(), ...declared, ...Object.keys(overrides)])]
        .filter((name) => search === undefined || name.toLowerCase().includes(search.toLowerCase()))
        .filter((name) => cursor === undefined || name > cursor)
        .sort()
      const page = names.slice(0, limit)
      return {
        groups: page.map((name) => toGroupRow(name, rulesOfGroup(name, types, overrides), byName.get(name))),
        nextCursor: names.length > limit ? (page.at(-1) ?? null) : null,
      }
    },
    async groupKeys({ name, search = null, sort, limit, cursor = null }) {
      const [rules, page] = await Promise.all([rulesOf(name), store.groupKeys({ name, search, sort, limit, cursor })])
      return { keys: page.rows.map((row) => toKeyRow(row, rules)), nextCursor: page.nextCursor }
    },
    async groupKey({ name, key }) {
      const [rules, row] = await Promise.all([rulesOf(name), store.groupKey({ name, key })])
      return toKeyRow(row ?? emptyKey(name, key), rules)
    },
    async updateGroup({ key = null, ...params }) {
      const stored = commits.submit<'updateGroup'>({ kind: 'updateGroup', key, ...params })
      if (key === null) admitter.check()
      await stored
      events.emit({ kind: 'types', at: await store.now() })
    },
  }
}

/** The group that jobs of a type belong to when they have a key. */
function nameOfGroup({ name, effective }: TypeRow): string {
  return effective.group?.name ?? name
}

function rulesOfGroup(
  name: string,
  types: readonly TypeRow[],
  overrides: Readonly<Record<string, GroupRules>>,
): RulesOfGroup {
  const own = types.filter((type) => nameOfGroup(type) === name)
  const declared = own.flatMap(({ effective }) => effective.group ?? [])
  return {
    types: own.map((type) => type.name),
    declared: declaredGroupRules(name, declared),
    override: overrides[name] ?? {},
  }
}

function toGroupRow(name: string, { types, declared, override }: RulesOfGroup, totals?: GroupTotals): GroupRow {
  const { keys = 0, pending = 0, processing = 0, blocked = 0 } = totals ?? {}
  return {
    name,
    types,
    declared: mergedRules(declared),
    override,
    effective: effectiveGroupRules(override, ...declared),
    keys,
    pending,
    processing,
    blocked,
  }
}

/** The rules of several types as one, without the fields that only concern a type. */
function mergedRules(declared: readonly GroupRules[]): GroupRules {
  const merged: GroupRules = {}
  for (const { concurrency, rate, window, order, whenFull, onDead, paused } of declared.toReversed()) {
    const rules = { concurrency, rate, window, order, whenFull, onDead, paused }
    Object.assign(merged, Object.fromEntries(Object.entries(rules).filter(([, rule]) => rule !== undefined)))
  }
  return merged
}

function toKeyRow(row: StoredKey, { declared, override }: RulesOfGroup): GroupKeyRow {
  const { name, key, pending, processing, blocked, oldestBlockedAt, busyUntil, stoppedAt } = row
  const effective = effectiveGroupRules(row.override, override, ...declared)
  return {
    name,
    key,
    pending,
    processing,
    blocked,
    oldestBlockedAt,
    nextAt: row.wakeAt,
    busyUntil,
    turn: effective.order === 'strict' ? row.turnId : null,
    stopped: stoppedAt === null ? null : { jobId: row.turnId, at: stoppedAt },
    override: row.override,
    effective,
  }
}

function emptyKey(name: string, key: string): StoredKey {
  return { ...EMPTY_KEY, name, key, wakeAt: null, override: {}, oldestBlockedAt: null, turnId: null }
}
