/** What the hot path must know of types, limits and workers, mirrored in memory and refreshed when someone else writes. */

import type { Defaults } from '../../../../shared/settings.ts'
import type { Kind } from '../../../../shared/status.ts'
import type { Bucket } from '../../../../shared/token-bucket.ts'
import { Rules } from '../../rules.ts'
import type { Client } from '../connection/open.ts'

export class Catalog extends Rules {
  private readonly statements
  /** True when the commit under way changed who may claim what. */
  private rulesChanged = false
  private touched = false

  constructor(client: Client, defaults: Defaults) {
    super(defaults)
    this.statements = {
      types: client.prepare<[], { name: string; kind: Kind; declared: string; override: string }>(
        'SELECT name, kind, declared, override FROM millrace_job_types',
      ),
      settings: client.prepare<[], { key: string; value: string }>('SELECT key, value FROM millrace_settings'),
      buckets: client.prepare<[], Bucket & { name: string }>(
        'SELECT name, tokens, refilled_at AS refilledAt FROM millrace_rate_buckets',
      ),
      draining: client.prepare<[], { name: string }>(
        'SELECT name FROM millrace_workers WHERE drain_requested_at IS NOT NULL',
      ),
      addType: client.prepare(
        'INSERT INTO main.millrace_job_types (name, kind, created_at, updated_at) VALUES (?, ?, ?, ?)',
      ),
      writeBucket: client.prepare(
        `INSERT INTO millrace_rate_buckets (name, tokens, refilled_at) VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET tokens = excluded.tokens, refilled_at = excluded.refilled_at`,
      ),
    }
  }

  reload(): void {
    const { types, settings, draining, buckets } = this.statements
    this.load({ types: types.iterate(), settings: settings.iterate(), draining: draining.iterate() })
    this.loadBuckets(buckets.iterate())
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
    this.refuseOtherKind(name, kind)
    if (this.type(name)) return
    this.touched = true
    this.statements.addType.run(name, kind, now, now)
    this.add(name, kind)
  }

  override takeToken(name: string, rate: number, burst: number, now: number): void {
    super.takeToken(name, rate, burst, now)
    this.touched = true
  }

  flush(): void {
    for (const { name, tokens, refilledAt } of this.takeDirty()) {
      this.statements.writeBucket.run(name, tokens, refilledAt)
    }
  }
}
