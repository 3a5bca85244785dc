/** Limits of types and of the whole queue in the claims of one commit: locks, running jobs, tokens. */
import { WHOLE_QUEUE } from '../../decisions/rules.ts'
import type { Row } from '../../rows/tables.ts'
import type { Ledger } from '../commit/ledger.ts'
import type { Session } from '../connection/session.ts'
import type { Catalog } from './catalog.ts'

export class Limits {
  private readonly session: Session
  private readonly ledger: Ledger
  private readonly rules: Catalog
  /** As of the last read; this commit has changed them by `ledger.startedOf`. */
  private readonly processing = new Map<string, number>()
  /** Types whose limits this commit has locked, and WHOLE_QUEUE. */
  private readonly locked = new Set<string>()

  constructor(session: Session, ledger: Ledger, rules: Catalog) {
    this.session = session
    this.ledger = ledger
    this.rules = rules
  }

  isLocked(name: string): boolean {
    return this.locked.has(name)
  }

  /** How many jobs of a type its limits allow. */
  limitOf(name: string): number {
    const { maxConcurrency, rate, burst } = this.rules.effective(name)
    const slots = maxConcurrency === null ? Number.POSITIVE_INFINITY : maxConcurrency - this.processingOf(name)
    const tokens = rate === null ? slots : this.rules.tokens(name, rate, burst ?? 1, this.session.now)
    return Math.max(0, Math.min(slots, tokens))
  }

  /**
   * Only claims of limited types are serialised: counts and buckets cannot change under these locks. Separate statements, in this
   * order: one that also locks would read in a snapshot from before the lock.
   */
  async lock(names: readonly string[]): Promise<void> {
    for (const name of names) this.locked.add(name)
    const text = 'SELECT name FROM millrace_job_types WHERE name = ANY($1::text[]) ORDER BY name FOR UPDATE'
    await Promise.all([
      names.includes(WHOLE_QUEUE) &&
        this.session.rows('lock-queue', `SELECT key FROM millrace_settings WHERE key = 'rate' FOR UPDATE`, []),
      this.session.rows('lock-types', text, [names]),
      this.rules.readBuckets(this.session, [...this.locked]),
    ])
  }

  /**
   * From the counters: every transaction that starts or ends a job writes them, and under the locks none of another node starts one.
   * They do not include the changes of this commit. Counting the jobs would cost more the more of them run.
   */
  async countProcessing(types: readonly string[]): Promise<void> {
    if (types.length === 0) return
    const rows = await this.session.rows<Row<'jobCounts', 'type' | 'n'>>(
      'processing',
      `SELECT type, sum(n)::bigint AS n FROM millrace_job_counts WHERE status = 'processing' AND type = ANY($1::text[]) GROUP BY type`,
      [types],
    )
    this.processing.clear()
    for (const { type, n } of rows) this.processing.set(type, n)
  }

  processingOf(type: string): number {
    return (this.processing.get(type) ?? 0) + this.ledger.startedOf(type)
  }
}
