/** A kit for groups, whose counts and keys are checked after every test. */
import { afterEach, expect } from 'vitest'
import { hasRoom } from '../../../../server/store/decisions/group-slots.ts'
import type { NewJob, OpOf } from '../../../../server/store/ops.ts'
import type { GroupSettings } from '../../../../shared/contracts/groups.ts'
import { declaredGroupRules, type EffectiveGroupRules, effectiveGroupRules } from '../../../../shared/groups/rules.ts'
import type { Status } from '../../../../shared/status.ts'
import type { KeyRow, StoreHarness } from '../../harness.ts'
import { admitBlocked, promote, updateGroup } from '../fixtures.ts'
import { eachKit, type Kit } from '../kit.ts'

const UNFINISHED = ['pending', 'processing', 'blocked'] as const

/** Jobs of a key, with a number in their payload. */
export function ofKey(groupKey: string, count: number, overrides: Partial<NewJob> = {}): Partial<NewJob>[] {
  return Array.from({ length: count }, (_, n) => ({ groupKey, payload: `{"n":${n}}`, ...overrides }))
}

export class GroupKit {
  readonly kit: Kit

  constructor(kit: Kit) {
    this.kit = kit
  }

  /** Declares a type with the rules of its group. */
  async rules(group: GroupSettings | null, type = 'report'): Promise<void> {
    await this.kit.declare(type, { group })
    await this.admit()
  }

  /** An override by an operator, and what the engine does after it. */
  async update(change: Partial<OpOf<'updateGroup'>>): Promise<void> {
    await this.kit.run(updateGroup(change))
    await this.admit()
  }

  async admit(): Promise<void> {
    while ((await this.kit.run(admitBlocked)).more);
  }

  async promote(): Promise<void> {
    while ((await this.kit.run(promote)).more);
  }

  async statuses(ids: readonly string[]): Promise<Status[]> {
    return Promise.all(ids.map((id) => this.kit.status(id)))
  }

  /** The stored row of a key; zeros if there is none. */
  async row(key: string, name = 'report'): Promise<KeyRow> {
    const none = { pending: 0, processing: 0, blocked: 0, tat: null, busyUntil: null, wakeAt: null, turnSeq: null }
    const { rows } = await this.kit.harness.keyRows()
    return rows.find((row) => row.name === name && row.key === key) ?? { name, key, ...none, stoppedAt: null }
  }

  /** Pending, processing and blocked jobs of a key. */
  async counts(key: string, name = 'report'): Promise<number[]> {
    const { pending, processing, blocked } = await this.row(key, name)
    return [pending, processing, blocked]
  }

  /** Claims one by one, a millisecond apart, and returns the keys in order. The jobs stay with the worker. */
  async claimedKeys(count: number): Promise<(string | null)[]> {
    const keys: (string | null)[] = []
    for (let n = 0; n < count; n++) {
      await this.kit.advance(1)
      for (const { id } of await this.kit.claim()) keys.push((await this.kit.job(id)).groupKey)
    }
    return keys
  }
}

/** A new kit for each test of the surrounding describe; after each of them the counts are exact and no key is stuck. */
export function eachGroupKit(harness: StoreHarness): () => GroupKit {
  const kit = eachKit(harness)
  afterEach(async () => {
    await expectExactKeys(kit())
    await new GroupKit(kit()).promote()
    await expectExactKeys(kit())
    expect(await stuckKeys(kit())).toEqual([])
    expect(await kit().counts()).toEqual(await harness.countByStatus())
  })
  return () => new GroupKit(kit())
}

/** The counts of every key equal the number of its jobs in each status. */
export async function expectExactKeys(kit: Kit): Promise<void> {
  const { rows, jobs } = await kit.harness.keyRows()
  const counted = new Map<string, Record<string, number>>()
  for (const { name, key, status, n } of jobs) {
    const id = `${name} / ${key}`
    counted.set(id, { pending: 0, processing: 0, blocked: 0, ...counted.get(id), [status]: n })
  }
  const stored = rows
    .filter((row) => UNFINISHED.some((status) => row[status] !== 0))
    .map(
      ({ name, key, pending, processing, blocked }) => [`${name} / ${key}`, { pending, processing, blocked }] as const,
    )
  expect(new Map(stored)).toEqual(counted)
}

/** Keys with a blocked job that could be pending. Correct after a promotion at this instant. */
export async function stuckKeys(kit: Kit): Promise<string[]> {
  const now = kit.clock.now()
  const stuck: string[] = []
  for (const row of (await kit.harness.keyRows()).rows) {
    if (row.blocked === 0) continue
    const rules = await rulesOf(kit, row)
    const turn = rules.order === 'strict' ? row.turnSeq : null
    const [holder] = turn === null ? [] : await kit.store.getNumbered([turn])
    const mayMove = turn === null || holder?.status === 'blocked'
    if (mayMove && hasRoom(row, rules, now, turn ?? -1)) stuck.push(`${row.name} / ${row.key}`)
  }
  return stuck
}

/** The rules in force for a key, from the reads of the store. */
export async function rulesOf(
  { store }: Kit,
  { name, key }: Pick<KeyRow, 'name' | 'key'>,
): Promise<EffectiveGroupRules> {
  const [types, overrides, row] = [
    await store.types(),
    await store.groupOverrides(),
    await store.groupKey({ name, key }),
  ]
  const declared = types.flatMap(({ name: type, effective: { group } }) =>
    group && (group.name ?? type) === name ? [group] : [],
  )
  return effectiveGroupRules(row?.override, overrides[name], ...declaredGroupRules(name, declared))
}
