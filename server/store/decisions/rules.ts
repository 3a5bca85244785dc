/** Rules for claims as one commit sees them: types, settings, token buckets, draining workers. */
import type { GroupRules } from '../../../shared/contracts/groups.ts'
import { QueueError } from '../../../shared/errors.ts'
import {
  declaredGroupRules,
  type EffectiveGroupRules,
  effectiveGroupRules,
  type KeyRules,
} from '../../../shared/groups/rules.ts'
import {
  type Defaults,
  type EffectiveSettings,
  effectiveSettings,
  type QueueSettings,
  type TypeSettings,
} from '../../../shared/settings/settings.ts'
import { webhookFor } from '../../../shared/settings/webhooks.ts'
import type { Kind } from '../../../shared/status.ts'
import { type Bucket, refill, wholeTokens } from '../../../shared/token-bucket.ts'
import { GROUPS_SETTING, type GroupOverrides, parseGroupOverrides } from '../rows/group-rows.ts'
import type { BUCKET, SETTING, STORED_TYPE } from '../rows/rule-rows.ts'
import type { Row, RowOf } from '../rows/tables.ts'

/** The name of the token bucket of the whole queue. */
export const WHOLE_QUEUE = ''

export interface KnownType {
  readonly name: string
  readonly kind: Kind
  readonly effective: EffectiveSettings
}

/** Rows of the tables, with settings as JSON text. */
export interface StoredRules {
  readonly types: Iterable<RowOf<typeof STORED_TYPE>>
  readonly settings: Iterable<RowOf<typeof SETTING>>
  readonly draining: Iterable<Row<'workers', 'name'>>
}

export class Rules {
  private readonly defaults: Defaults
  private known = new Map<string, KnownType>()
  private buckets = new Map<string, Bucket>()
  private draining = new Set<string>()
  private settings: QueueSettings = {}
  private groupOverrides: GroupOverrides = {}
  /** Rules of keys without overrides. */
  private groups = new Map<string, EffectiveGroupRules>()
  /** What types declare, by group; null: computed when it is needed. */
  private declaredGroups: ReadonlyMap<string, readonly GroupRules[]> | null = null
  private readonly dirtyBuckets = new Set<string>()

  constructor(defaults: Defaults) {
    this.defaults = defaults
  }

  load({ types, settings, draining }: StoredRules): void {
    const read: Record<string, unknown> = {}
    this.groupOverrides = {}
    for (const { key, value } of settings) {
      if (key === GROUPS_SETTING) this.groupOverrides = parseGroupOverrides(value)
      else read[key] = JSON.parse(value)
    }
    this.settings = read
    this.groups = new Map()
    this.declaredGroups = null
    this.known = new Map()
    for (const row of types) {
      const declared: TypeSettings = JSON.parse(row.declared)
      const override: TypeSettings = JSON.parse(row.override)
      const effective = effectiveSettings(declared, override, this.settings, this.defaults)
      this.known.set(row.name, { name: row.name, kind: row.kind, effective })
    }
    this.draining = new Set()
    for (const { name } of draining) this.draining.add(name)
  }

  loadBuckets(buckets: Iterable<RowOf<typeof BUCKET>>): void {
    this.buckets = new Map()
    for (const { name, ...bucket } of buckets) this.buckets.set(name, bucket)
    this.dirtyBuckets.clear()
  }

  refuseOtherKind(name: string, kind: Kind): void {
    const known = this.known.get(name)
    if (!known || known.kind === kind) return
    throw new QueueError('WRONG_STATE', `Type ${name} holds ${known.kind}s, not ${kind}s; choose another name.`, {
      type: name,
    })
  }

  /** A type that was not known before. */
  protected add(name: string, kind: Kind): void {
    this.known.set(name, { name, kind, effective: effectiveSettings({}, {}, this.settings, this.defaults) })
  }

  type(name: string): KnownType | undefined {
    return this.known.get(name)
  }

  effective(name: string): EffectiveSettings {
    return this.known.get(name)?.effective ?? effectiveSettings({}, {}, this.settings, this.defaults)
  }

  /** The rules in force for a key of a group. `override`: those of the key. */
  groupRules(name: string, override: KeyRules | null = null): EffectiveGroupRules {
    const known = override === null ? this.groups.get(name) : undefined
    if (known) return known
    this.declaredGroups ??= this.readDeclaredGroups()
    const declared = declaredGroupRules(name, this.declaredGroups.get(name) ?? [])
    const rules = effectiveGroupRules(override, this.groupOverrides[name], ...declared)
    if (override === null) this.groups.set(name, rules)
    return rules
  }

  /** Rules of groups that operators have overridden. */
  overriddenGroups(): GroupOverrides {
    return this.groupOverrides
  }

  /** In the order of type names, in which the first type that declares a rule counts. */
  private readDeclaredGroups(): ReadonlyMap<string, readonly GroupRules[]> {
    const declaring = [...this.known.values()].filter(({ effective }) => effective.group !== null)
    declaring.sort((a, b) => (a.name < b.name ? -1 : 1))
    const groups = new Map<string, GroupRules[]>()
    for (const { name, effective } of declaring) {
      if (!effective.group) continue
      const group = effective.group.name ?? name
      const others = groups.get(group)
      if (others) others.push(effective.group)
      else groups.set(group, [effective.group])
    }
    return groups
  }

  types(): IterableIterator<KnownType> {
    return this.known.values()
  }

  isPaused(): boolean {
    return this.settings.paused ?? false
  }

  /** A webhook is set for jobs of this type that fail without another retry. */
  hasFailureWebhook(type: string): boolean {
    return webhookFor(type, this.settings) !== null
  }

  isDraining(worker: string): boolean {
    return this.draining.has(worker)
  }

  /** The rate limit of the whole queue. */
  globalRate(): { rate: number; burst: number } | null {
    const { rate } = this.settings
    if (rate === undefined || rate === null) return null
    return { rate, burst: this.settings.burst ?? Math.max(1, Math.ceil(rate)) }
  }

  bucket(name: string, rate: number, burst: number, now: number): Bucket {
    const stored = this.buckets.get(name)
    const bucket = refill(stored, rate, burst, now)
    // The clock was set back: refill from now on. Otherwise no token would be added until the old time is reached again.
    if (stored && bucket.refilledAt < stored.refilledAt) this.put(name, bucket)
    return bucket
  }

  /** Whole tokens in the bucket now. */
  tokens(name: string, rate: number, burst: number, now: number): number {
    return wholeTokens(this.bucket(name, rate, burst, now))
  }

  takeToken(name: string, rate: number, burst: number, now: number): void {
    const bucket = this.bucket(name, rate, burst, now)
    this.put(name, { tokens: Math.max(0, bucket.tokens - 1), refilledAt: bucket.refilledAt })
  }

  /** The buckets that changed since the last call. */
  protected takeDirty(): RowOf<typeof BUCKET>[] {
    const dirty = [...this.dirtyBuckets].flatMap((name) => {
      const bucket = this.buckets.get(name)
      return bucket ? [{ name, ...bucket }] : []
    })
    this.dirtyBuckets.clear()
    return dirty
  }

  private put(name: string, bucket: Bucket): void {
    this.buckets.set(name, bucket)
    this.dirtyBuckets.add(name)
  }
}
