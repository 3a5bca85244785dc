/** In-memory copy of types, limits and draining workers, reloaded when they have changed. */

import type { Defaults } from '../../../../shared/settings/settings.ts'
import type { Kind } from '../../../../shared/status.ts'
import { Rules, WHOLE_QUEUE } from '../../decisions/rules.ts'
import { BUCKET, SETTING, STORED_TYPE } from '../../rows/rule-rows.ts'
import type { Row, RowOf } from '../../rows/tables.ts'
import { columns, type Session, type Statements } from '../connection/session.ts'

/**
 * How often rules were changed: every transaction that writes them adds to its node's row; see Ledger.rulesChanged. Committed changes
 * only add up, so equal sums mean equal rules. Its cost does not grow with the number of types.
 */
const CHANGES = `(SELECT coalesce(sum(n), 0)::bigint FROM millrace_job_counts WHERE type = '' AND status = 'rules')`

/**
 * `xmin` changes with each version of a row: equal texts mean equal rows, whichever transaction wrote them. Sorted before the
 * aggregate, not inside it: before version 16 PostgreSQL would sort a sequential scan there, which the session has switched off, and
 * estimate a cost of 10^10 for it.
 */
const ROWS = `concat_ws('|',
  (SELECT string_agg(id, ',') FROM (SELECT xmin::text AS id FROM millrace_job_types ORDER BY name) AS t),
  (SELECT string_agg(id, ',') FROM (SELECT xmin::text AS id FROM millrace_settings ORDER BY key) AS s),
  (SELECT string_agg(name, ',') FROM (SELECT name FROM millrace_workers WHERE drain_requested_at IS NOT NULL ORDER BY name) AS w))`

/** Rows are compared this often: nodes of an older version and people with psql do not count their changes. */
const COMPARE_ROWS_MS = 1_000

export interface Fingerprint {
  readonly changes: number
  /** null: they were not read. */
  readonly ruleRows: string | null
}

export interface NewType {
  readonly name: string
  readonly kind: Kind
}

export class Catalog extends Rules {
  private readonly monotonic: () => number
  private changes: number | null = null
  private ruleRows = ''
  private comparedAt = 0
  private rulesChanged = false
  private written = 0

  constructor(defaults: Defaults, monotonic: () => number) {
    super(defaults)
    this.monotonic = monotonic
  }

  /** At the start of every commit, and again after waiting for a lock. */
  async refresh(session: Session): Promise<void> {
    const { name, columns } = this.fingerprint()
    const [row] = await session.rows<Fingerprint>(`fingerprint${name}`, `SELECT ${columns}`, [])
    if (!row || this.isCurrent(row)) return
    await this.reload(session)
    this.changes = row.changes
  }

  /** Columns of a Fingerprint. The name distinguishes the statements. */
  fingerprint(): { readonly name: string; readonly columns: string } {
    const comparesRows = this.monotonic() - this.comparedAt >= COMPARE_ROWS_MS
    const rows = comparesRows ? ROWS : 'NULL::text'
    return { name: comparesRows ? '-with-rows' : '', columns: `${CHANGES} AS changes, ${rows} AS "ruleRows"` }
  }

  /** What was read for another commit may be used, if the fingerprint is still the same. */
  get isLoaded(): boolean {
    return this.changes !== null
  }

  isCurrent({ changes, ruleRows }: Fingerprint): boolean {
    if (changes !== this.changes || (ruleRows !== null && ruleRows !== this.ruleRows)) return false
    if (ruleRows !== null) this.comparedAt = this.monotonic()
    return true
  }

  /** How often this commit has written rules, for the ledger. */
  get writtenRules(): number {
    return this.written
  }

  /** Any type, or the whole queue, has a rate limit. */
  hasRates(): boolean {
    if (this.globalRate() !== null) return true
    for (const { effective } of this.types()) if (effective.rate !== null) return true
    return false
  }

  begin(): void {
    this.rulesChanged = false
    this.written = 0
    // The last commit may have refilled buckets without a lock; this commit must not write them.
    this.takeDirty()
  }

  /** After a rollback: what was read in the transaction is not valid. */
  forget(): void {
    this.changes = null
  }

  /** Settings were written: reloads them. The commit then returns the ready jobs of all types, which wakes waiting claims. */
  async changed(session: Session): Promise<void> {
    this.rulesChanged = true
    this.written += 1
    this.changes = null
    await this.reload(session)
  }

  haveRulesChanged(): boolean {
    return this.rulesChanged
  }

  private async reload(session: Session): Promise<void> {
    // The rows are compared later with what was loaded, so they are read first.
    const [[read], types, settings, draining] = await Promise.all([
      session.rows<{ readonly ruleRows: string }>('rule-rows', `SELECT ${ROWS} AS "ruleRows"`, []),
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
    this.ruleRows = read?.ruleRows ?? ''
    this.comparedAt = this.monotonic()
  }

  /** Another node may add the same type at the same time, with another kind: the second one gets the kind of the first. */
  async ensureTypes(session: Session, types: readonly NewType[]): Promise<void> {
    const unknown = new Map(types.filter(({ name }) => !this.type(name)).map(({ name, kind }) => [name, kind]))
    if (unknown.size === 0) return
    const added = await addTypes(
      session,
      [...unknown].map(([name, kind]) => ({ name, kind })),
    )
    this.changes = null
    this.written += added
    if (added < unknown.size) await this.reload(session)
    else for (const [name, kind] of unknown) this.add(name, kind)
  }

  /** Those of these types and of the whole queue; null: all. Needs the locks of the limits, unless the buckets are only read. */
  async readBuckets(session: Session, types: readonly string[] | null): Promise<void> {
    const text = `SELECT ${BUCKET.list} FROM millrace_rate_buckets`
    const read =
      types === null
        ? session.rows<RowOf<typeof BUCKET>>('all-buckets', `${text} ORDER BY name`, [])
        : session.rows<RowOf<typeof BUCKET>>('buckets', `${text} WHERE name = ANY($1::text[])`, [
            [...types, WHOLE_QUEUE],
          ])
    this.loadBuckets(await read)
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
