/** In-memory copy of types, limits and draining workers, reloaded when they have changed. */
import type { Kind } from '../../../../shared/status.ts'
import { Rules } from '../../decisions/rules.ts'
import { BUCKET, SETTING, STORED_TYPE } from '../../rows/rule-rows.ts'
import type { Row, RowOf } from '../../rows/tables.ts'
import { columns, type Session, type Statements } from '../connection/session.ts'

/**
 * `xmin` changes with each version of a row: equal fingerprints mean equal rows, whichever node wrote them. Sorted before the
 * aggregate, not inside it: before version 16 PostgreSQL would sort a sequential scan there, which the session has switched off,
 * and estimate a cost of 10^10 for it.
 */
export const FINGERPRINT = `concat_ws('|',
  (SELECT string_agg(id, ',') FROM (SELECT xmin::text AS id FROM millrace_job_types ORDER BY name) AS t),
  (SELECT string_agg(id, ',') FROM (SELECT xmin::text AS id FROM millrace_settings ORDER BY key) AS s),
  (SELECT string_agg(name, ',') FROM (SELECT name FROM millrace_workers WHERE drain_requested_at IS NOT NULL ORDER BY name) AS w))`

export interface NewType {
  readonly name: string
  readonly kind: Kind
}

export class Catalog extends Rules {
  private fingerprint: string | null = null
  private rulesChanged = false

  /** At the start of every commit, and again after waiting for a lock. */
  async refresh(session: Session): Promise<void> {
    const [row] = await session.rows<{ fingerprint: string }>('fingerprint', `SELECT ${FINGERPRINT} AS fingerprint`, [])
    const fingerprint = row?.fingerprint ?? ''
    if (fingerprint === this.fingerprint) return
    await this.reload(session)
    this.fingerprint = fingerprint
  }

  /** What was read for another commit may be used, if the fingerprint is still the same. */
  get isLoaded(): boolean {
    return this.fingerprint !== null
  }

  isCurrent(fingerprint: string): boolean {
    return fingerprint === this.fingerprint
  }

  /** Any type, or the whole queue, has a rate limit. */
  hasRates(): boolean {
    if (this.globalRate() !== null) return true
    for (const { effective } of this.types()) if (effective.rate !== null) return true
    return false
  }

  begin(): void {
    this.rulesChanged = false
    // The last commit may have refilled buckets without a lock; this commit must not write them.
    this.takeDirty()
  }

  /** After a rollback: what was read in the transaction is not valid. */
  forget(): void {
    this.fingerprint = null
  }

  /** Settings were written: reloads them. The commit then returns the ready jobs of all types, which wakes waiting claims. */
  async changed(session: Session): Promise<void> {
    this.rulesChanged = true
    this.fingerprint = null
    await this.reload(session)
  }

  haveRulesChanged(): boolean {
    return this.rulesChanged
  }

  private async reload(session: Session): Promise<void> {
    const [types, settings, draining] = await Promise.all([
      session.rows<RowOf<typeof STORED_TYPE>>(
        'types',
        `SELECT ${STORED_TYPE.list} FROM millrace_job_types ORDER BY name`,
        [],
      ),
      session.rows<RowOf<typeof SETTING>>('settings', `SELECT ${SETTING.list} FROM millrace_settings ORDER BY key`, []),
      session.rows<Row<'workers', 'name'>>(
        'draining',
        'SELECT name FROM millrace_workers WHERE drain_requested_at IS NOT NULL ORDER BY name',
        [],
      ),
    ])
    this.load({ types, settings, draining })
  }

  /** Another node may add the same type at the same time, with another kind: the second one gets the kind of the first. */
  async ensureTypes(session: Session, types: readonly NewType[]): Promise<void> {
    const unknown = new Map(types.filter(({ name }) => !this.type(name)).map(({ name, kind }) => [name, kind]))
    if (unknown.size === 0) return
    const added = await addTypes(
      session,
      [...unknown].map(([name, kind]) => ({ name, kind })),
    )
    this.fingerprint = null
    if (added < unknown.size) await this.reload(session)
    else for (const [name, kind] of unknown) this.add(name, kind)
  }

  /** Needs the locks of the limits, unless the buckets are only read. */
  async readBuckets(session: Session): Promise<void> {
    const text = `SELECT ${BUCKET.list} FROM millrace_rate_buckets ORDER BY name`
    this.loadBuckets(await session.rows<RowOf<typeof BUCKET>>('buckets', text, []))
  }

  flush(session: Session): void {
    const dirty = this.takeDirty()
    if (dirty.length === 0) return
    session.send(
      'write-buckets',
      `INSERT INTO millrace_rate_buckets (name, tokens, refilled_at)
       SELECT * FROM unnest($1::text[], $2::double precision[], $3::bigint[])
       ON CONFLICT (name) DO UPDATE SET tokens = excluded.tokens, refilled_at = excluded.refilled_at`,
      columns(dirty, ({ name, tokens, refilledAt }) => [name, tokens, refilledAt]),
    )
  }
}

/** Returns how many of them are new. In one order for all nodes, so that no two transactions deadlock. */
export function addTypes(session: Statements, types: readonly NewType[]): Promise<number> {
  const rows = types.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return session.run(
    'add-types',
    `INSERT INTO ${session.schema}millrace_job_types (name, kind, created_at, updated_at)
     SELECT name, kind, $3, $3 FROM unnest($1::text[], $2::text[]) AS t (name, kind) ON CONFLICT (name) DO NOTHING`,
    [...columns(rows, ({ name, kind }) => [name, kind]), session.now],
  )
}
