/** What the hot path must know of types, limits and workers, mirrored in memory and read again when it has changed. */
import type { Kind } from '../../../../shared/status.ts'
import type { Bucket } from '../../../../shared/token-bucket.ts'
import { Rules } from '../../rules.ts'
import { columns, type Session, type Statements } from '../connection/session.ts'

/**
 * `xmin` is new whenever a row is: equal fingerprints mean equal rows, whichever node wrote them. Sorted before the aggregate,
 * not inside it: before version 16 PostgreSQL would sort a sequential scan there, which the session has switched off, and
 * estimate a cost of 10^10 for it.
 */
const FINGERPRINT = `SELECT concat_ws('|',
  (SELECT string_agg(id, ',') FROM (SELECT xmin::text AS id FROM millrace_job_types ORDER BY name) AS t),
  (SELECT string_agg(id, ',') FROM (SELECT xmin::text AS id FROM millrace_settings ORDER BY key) AS s),
  (SELECT string_agg(name, ',') FROM (SELECT name FROM millrace_workers WHERE drain_requested_at IS NOT NULL ORDER BY name) AS w)
  ) AS fingerprint`

export interface NewType {
  readonly name: string
  readonly kind: Kind
}

export class Catalog extends Rules {
  private seen: string | null = null
  private rulesChanged = false

  /** At the beginning of every commit, and again after a lock was waited for. */
  async refresh(session: Session): Promise<void> {
    const [row] = await session.rows<{ fingerprint: string }>('fingerprint', FINGERPRINT, [])
    const fingerprint = row?.fingerprint ?? ''
    if (fingerprint === this.seen) return
    await this.reload(session)
    this.seen = fingerprint
  }

  begin(): void {
    this.rulesChanged = false
    // What the last commit only looked at, without any lock, must not be written by this one.
    this.takeDirty()
  }

  /** The transaction is gone, and with it what was read in it. */
  forget(): void {
    this.seen = null
  }

  /** Settings were written: read them again, and let everyone who waits look again. */
  async changed(session: Session): Promise<void> {
    this.rulesChanged = true
    this.seen = null
    await this.reload(session)
  }

  haveRulesChanged(): boolean {
    return this.rulesChanged
  }

  private async reload(session: Session): Promise<void> {
    const [types, settings, draining] = await Promise.all([
      session.rows<{ name: string; kind: Kind; declared: string; override: string }>(
        'types',
        'SELECT name, kind, declared, override FROM millrace_job_types ORDER BY name',
        [],
      ),
      session.rows<{ key: string; value: string }>(
        'settings',
        'SELECT key, value FROM millrace_settings ORDER BY key',
        [],
      ),
      session.rows<{ name: string }>(
        'draining',
        'SELECT name FROM millrace_workers WHERE drain_requested_at IS NOT NULL ORDER BY name',
        [],
      ),
    ])
    this.load({ types, settings, draining })
  }

  /** Another node may add one in the same moment, and of another kind: whoever comes second sees the first's. */
  async ensureTypes(session: Session, wanted: readonly NewType[]): Promise<void> {
    const unknown = new Map(wanted.filter(({ name }) => !this.type(name)).map(({ name, kind }) => [name, kind]))
    if (unknown.size === 0) return
    const added = await addTypes(
      session,
      [...unknown].map(([name, kind]) => ({ name, kind })),
    )
    this.seen = null
    if (added < unknown.size) await this.reload(session)
    else for (const [name, kind] of unknown) this.add(name, kind)
  }

  /** Of these names, and of the whole queue: for whoever holds the locks that guard them, or only wants to look. */
  async readBuckets(session: Session): Promise<void> {
    const text = 'SELECT name, tokens, refilled_at AS "refilledAt" FROM millrace_rate_buckets ORDER BY name'
    this.loadBuckets(await session.rows<Bucket & { name: string }>('buckets', text, []))
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

/** Gives how many of them were not there, in one order for all, so that no two transactions wait for each other. */
export function addTypes(session: Statements, types: readonly NewType[]): Promise<number> {
  const rows = types.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return session.run(
    'add-types',
    `INSERT INTO ${session.schema}millrace_job_types (name, kind, created_at, updated_at)
     SELECT name, kind, $3, $3 FROM unnest($1::text[], $2::text[]) AS t (name, kind) ON CONFLICT (name) DO NOTHING`,
    [...columns(rows, ({ name, kind }) => [name, kind]), session.now],
  )
}
