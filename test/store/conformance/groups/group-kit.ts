/** A kit for groups, whose counts and keys are checked after every test. */
import { afterEach, expect } from 'vitest'
import { hasRoom } from '../../../../server/store/decisions/group-slots.ts'
import type { NewJob, OpOf } from '../../../../server/store/ops.ts'
import type { GroupSettings } from '../../../../shared/contracts/groups.ts'
import {
  declaredGroupRules,
  type EffectiveGroupRules,
  effectiveGroupRules,
  type KeyRules,
} from '../../../../shared/groups/rules.ts'
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
    const none = { pending: 0, processing: 0, blocked: 0, tat: null, busyUntil: null, wakeAt: null, override: null }
    const { rows } = await this.kit.harness.keyRows()
    return (
      rows.find((row) => row.name === name && row.key === key) ?? { name, key, ...none, turnSeq: null, stoppedAt: null }
    )
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
  const { rows } = await kit.harness.keyRows()
  return (await keysWithRoom(kit, rows)).map(({ name, key }) => `${name} / ${key}`)
}

/** Those of the keys whose first blocked job could be pending. */
export async function keysWithRoom(kit: Kit, rows: readonly KeyRow[]): Promise<KeyRow[]> {
  const waiting = rows.filter(({ blocked }) => blocked > 0)
  const rulesOf = await readRules(kit)
  const turns = await kit.store.getNumbered(waiting.flatMap(({ turnSeq }) => turnSeq ?? []))
  return waiting.filter((row) => {
    const rules = rulesOf(row)
    const turn = rules.order === 'strict' ? row.turnSeq : null
    const mayMove = turn === null || turns.some(({ seq, status }) => seq === turn && status === 'blocked')
    return mayMove && hasRoom(row, rules, kit.clock.now(), turn ?? -1)
  })
}

/** The rules in force for keys, from the reads of the store. */
export async function readRules({ store }: Kit): Promise<(row: KeyRow) => EffectiveGroupRules> {
  const [types, overrides] = [await store.types(), await store.groupOverrides()]
  return ({ name, override }) => {
    const declared = types.flatMap(({ name: type, effective: { group } }) =>
      group && (group.name ?? type) === name ? [group] : [],
    )
    const ofKey: KeyRules = override === null ? {} : JSON.parse(override)
    return effectiveGroupRules(ofKey, overrides[name], ...declaredGroupRules(name, declared))
  }
}
