/** In-memory copy of types, limits and draining workers, reloaded when another connection writes. */
import type { Defaults } from '../../../../shared/settings/settings.ts'
import type { Kind } from '../../../../shared/status.ts'
import { Rules } from '../../decisions/rules.ts'
import { BUCKET, SETTING, STORED_TYPE } from '../../rows/rule-rows.ts'
import type { Row, RowOf } from '../../rows/tables.ts'
import type { Client } from '../connection/open.ts'

export class Catalog extends Rules {
  private readonly statements
  /** The commit under way changed types, settings or workers. */
  private rulesChanged = false
  private touched = false

  constructor(client: Client, defaults: Defaults) {
    super(defaults)
    this.statements = {
      types: client.prepare<[], RowOf<typeof STORED_TYPE>>(`SELECT ${STORED_TYPE.list} FROM millrace_job_types`),
      settings: client.prepare<[], RowOf<typeof SETTING>>(`SELECT ${SETTING.list} FROM millrace_settings`),
      buckets: client.prepare<[], RowOf<typeof BUCKET>>(`SELECT ${BUCKET.list} FROM millrace_rate_buckets`),
      draining: client.prepare<[], Row<'workers', 'name'>>(
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

  /** After an operation was rolled back: reloads what it changed in memory. */
  rollback(): void {
    if (!this.touched) return
    this.flush()
    this.reload()
  }

  /** Settings were written: reloads them. The commit then returns the ready jobs of all types, which wakes waiting claims. */
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
