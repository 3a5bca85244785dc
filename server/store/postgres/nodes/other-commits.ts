/**
 * Notices other nodes' commits. Every transaction that writes has a number, ours are known, and the rows that the others
 * wrote carry theirs: no node needs to be told anything, and other databases on the same server do not count.
 */
import { MARK, type Mark } from '../commit/commit-outcome.ts'
import type { Queryable } from '../connection/open.ts'

interface Snapshot {
  /** Numbers from here on have not been given yet. */
  readonly next: number
  readonly running: ReadonlySet<number>
}

interface SnapshotRow {
  readonly next: number
  readonly running: readonly string[]
}

/** More transactions than this since the last look are news without looking closer. */
const MAX_OWN = 10_000
/**
 * A snapshot does not list savepoints, which have numbers too, and rows written behind one carry its number: of all that was
 * running or has been given since the last look, what is still in progress is asked for by itself.
 */
const SNAPSHOT = `SELECT s.next, ARRAY(
    SELECT pg_snapshot_xip(s.snapshot)::text
    UNION SELECT id::text FROM (
      SELECT unnest($1::bigint[]) UNION ALL
      SELECT generate_series(greatest(coalesce($2, s.oldest), s.next - ${MAX_OWN}), s.next - 1)) AS known (id)
    WHERE CASE WHEN id < s.next THEN pg_xact_status(id::text::xid8) END = 'in progress') AS running
  FROM (SELECT c AS snapshot, pg_snapshot_xmax(c)::text::bigint AS next, pg_snapshot_xmin(c)::text::bigint AS oldest
    FROM pg_current_snapshot() AS c) AS s`

/** Where every commit leaves a row with its number, which is 32 bits wide there. */
const MARKS = [
  'millrace_job_counts',
  'millrace_job_types',
  'millrace_settings',
  'millrace_workers',
  'millrace_bulk_operations',
]
const MARKED = `SELECT ${MARKS.map(
  (table) => `EXISTS (SELECT 1 FROM ${table} WHERE xmin::text::bigint = ANY($1::bigint[]))`,
).join(' OR ')} AS marked`
const XID_SPACE = 2 ** 32

export class Elsewhere {
  private readonly own = new Set<number>()
  private polled: Snapshot | null = null

  /** What was there before is not news. */
  async begin(queryable: Queryable): Promise<void> {
    this.polled = await take(queryable, null)
  }

  /** Whether somebody else has committed since the last time this was asked. */
  async poll(queryable: Queryable): Promise<boolean> {
    const since = this.polled
    const snapshot = await take(queryable, since)
    const isNews = since === null || (await this.isNews(queryable, since, snapshot))
    // Only now: what could not be looked at is looked at next time.
    this.polled = snapshot
    return isNews
  }

  /** Asked inside our own transaction, after its last write; one that wrote nothing has no number. */
  async rememberOwn(queryable: Queryable): Promise<Mark | null> {
    const { rows } = await queryable.query<Mark | { readonly id: null }>({ name: 'own', text: MARK })
    const [mark] = rows
    if (!mark || mark.id === null) return null
    this.remember(mark.id)
    return mark
  }

  /** A connection broke: if that was a crash, our numbers are given again, also to others, so they are ours no longer. */
  forget(): void {
    this.own.clear()
    this.polled = null
  }

  private async isNews(queryable: Queryable, since: Snapshot, now: Snapshot): Promise<boolean> {
    if (now.next < since.next || now.next - since.next > MAX_OWN) return true
    const others = endedBetween(since, now).filter((id) => !this.own.has(id))
    if (others.length === 0) return false
    const { rows } = await queryable.query<{ marked: boolean }>({
      name: 'marked',
      text: MARKED,
      values: [others.map((id) => id % XID_SPACE)],
    })
    return rows[0]?.marked ?? false
  }

  private remember(id: number): void {
    this.own.add(id)
    if (this.own.size <= MAX_OWN) return
    for (const oldest of this.own) {
      this.own.delete(oldest)
      return
    }
  }
}

async function take(queryable: Queryable, since: Snapshot | null): Promise<Snapshot> {
  const values = [[...(since?.running ?? [])], since?.next ?? null]
  const { rows } = await queryable.query<SnapshotRow>({ name: 'snapshot', text: SNAPSHOT, values })
  const [row] = rows
  if (!row) throw new Error('PostgreSQL did not say what is under way.')
  return { next: row.next, running: new Set(row.running.map(Number)) }
}

/** Numbers of transactions that were under way, or not begun, and are over now: commits land out of order. */
function endedBetween(since: Snapshot, now: Snapshot): readonly number[] {
  const ended = [...since.running]
  for (let id = since.next; id < now.next; id++) ended.push(id)
  return ended.filter((id) => !now.running.has(id))
}
