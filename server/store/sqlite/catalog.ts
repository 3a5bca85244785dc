/** What the hot path must know of types, limits and workers, mirrored in memory and refreshed when someone else writes. */
import { QueueError } from '../../../shared/errors.ts'
import type { Kind } from '../../../shared/status.ts'
import { type Bucket, refill, wholeTokens } from '../../../shared/token-bucket.ts'
import {
  type Defaults,
  type EffectiveSettings,
  effectiveSettings,
  type QueueSettings,
  type TypeSettings,
} from '../../../shared/type-settings.ts'
import type { Client } from './open.ts'

/** The bucket of the whole queue. */
export const WHOLE_QUEUE = ''

export interface KnownType {
  readonly name: string
  readonly kind: Kind
  readonly effective: EffectiveSettings
}

export class Catalog {
  private readonly defaults: Defaults
  private readonly statements
  private known = new Map<string, KnownType>()
  private buckets = new Map<string, Bucket>()
  private draining = new Set<string>()
  private settings: QueueSettings = {}
  private dirtyBuckets = new Set<string>()
  /** True when the commit under way changed who may claim what. */
  private rulesChanged = false
  private touched = false

  constructor(client: Client, defaults: Defaults) {
    this.defaults = defaults
    this.statements = {
      types: client.prepare<[], { name: string; kind: Kind; declared: string; override: string }>(
        'SELECT name, kind, declared, override FROM job_types',
      ),
      settings: client.prepare<[], { key: string; value: string }>('SELECT key, value FROM settings'),
      buckets: client.prepare<[], Bucket & { name: string }>(
        'SELECT name, tokens, refilled_at AS refilledAt FROM rate_buckets',
      ),
      draining: client.prepare<[], { name: string }>('SELECT name FROM workers WHERE drain_requested_at IS NOT NULL'),
      addType: client.prepare('INSERT INTO job_types (name, kind, created_at, updated_at) VALUES (?, ?, ?, ?)'),
      writeBucket: client.prepare(
        `INSERT INTO rate_buckets (name, tokens, refilled_at) VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET tokens = excluded.tokens, refilled_at = excluded.refilled_at`,
      ),
    }
  }

  reload(): void {
    const settings: Record<string, unknown> = {}
    for (const { key, value } of this.statements.settings.iterate()) settings[key] = JSON.parse(value)
    this.settings = settings
    this.known = new Map()
    for (const row of this.statements.types.iterate()) {
      const declared: TypeSettings = JSON.parse(row.declared)
      const override: TypeSettings = JSON.parse(row.override)
      const effective = effectiveSettings(declared, override, this.settings, this.defaults)
      this.known.set(row.name, { name: row.name, kind: row.kind, effective })
    }
    this.buckets = new Map()
    for (const { name, ...bucket } of this.statements.buckets.iterate()) this.buckets.set(name, bucket)
    this.draining = new Set()
    for (const { name } of this.statements.draining.iterate()) this.draining.add(name)
    this.dirtyBuckets.clear()
  }

  begin(): void {
    this.rulesChanged = false
    this.touched = false
  }

  beginOperation(): void {
    this.touched = false
  }

  /** After an operation was rolled back: what it had changed here is read again. */
  rollback(): void {
    if (!this.touched) return
    this.flush()
    this.reload()
  }

  /** Settings were written: read them again, and let everyone who waits look again. */
  changed(): void {
    this.touched = true
    this.rulesChanged = true
    this.flush()
    this.reload()
  }

  haveRulesChanged(): boolean {
    return this.rulesChanged
  }

  ensureType(name: string, kind: Kind, now: number): void {
    const known = this.known.get(name)
    if (known && known.kind !== kind) {
      throw new QueueError('WRONG_STATE', `Type ${name} holds ${known.kind}s, not ${kind}s; choose another name.`, {
        type: name,
      })
    }
    if (known) return
    this.touched = true
    this.statements.addType.run(name, kind, now, now)
    this.known.set(name, { name, kind, effective: effectiveSettings({}, {}, this.settings, this.defaults) })
  }

  type(name: string): KnownType | undefined {
    return this.known.get(name)
  }

  effective(name: string): EffectiveSettings {
    return this.known.get(name)?.effective ?? effectiveSettings({}, {}, this.settings, this.defaults)
  }

  types(): IterableIterator<KnownType> {
    return this.known.values()
  }

  isPaused(): boolean {
    return this.settings.paused ?? false
  }

  isDraining(worker: string): boolean {
    return this.draining.has(worker)
  }

  /** The queue-wide limit, if there is one. */
  globalRate(): { rate: number; burst: number } | null {
    const { rate } = this.settings
    if (rate === undefined || rate === null) return null
    return { rate, burst: this.settings.burst ?? Math.max(1, Math.ceil(rate)) }
  }

  bucket(name: string, rate: number, burst: number, now: number): Bucket {
    const stored = this.buckets.get(name)
    const bucket = refill(stored, rate, burst, now)
    // A clock that was set back: counted from now on, or nothing would come until the old time is reached again.
    if (stored && now < stored.refilledAt) this.put(name, bucket)
    return bucket
  }

  /** Whole tokens there right now. */
  tokens(name: string, rate: number, burst: number, now: number): number {
    return wholeTokens(this.bucket(name, rate, burst, now))
  }

  takeToken(name: string, rate: number, burst: number, now: number): void {
    const bucket = this.bucket(name, rate, burst, now)
    this.put(name, { tokens: Math.max(0, bucket.tokens - 1), refilledAt: bucket.refilledAt })
    this.touched = true
  }

  private put(name: string, bucket: Bucket): void {
    this.buckets.set(name, bucket)
    this.dirtyBuckets.add(name)
  }

  flush(): void {
    for (const name of this.dirtyBuckets) {
      const bucket = this.buckets.get(name)
      if (bucket) this.statements.writeBucket.run(name, bucket.tokens, bucket.refilledAt)
    }
    this.dirtyBuckets.clear()
  }
}
