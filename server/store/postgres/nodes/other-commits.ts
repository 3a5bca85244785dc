/**
 * Detects commits of other nodes by polling. Every writing transaction has an id, the ids of this node are known, and rows carry the id
 * of the transaction that wrote them. Nodes need no messages, and other databases on the same server do not count.
 */
import { type Mark, readMark } from '../commit/commit-outcome.ts'
import type { NamedQueryable, Queryable } from '../connection/open.ts'

interface Snapshot {
  /** Ids from here on have not been assigned yet. */
  readonly next: number
  readonly running: ReadonlySet<number>
}

interface SnapshotRow {
  readonly next: number
  readonly running: readonly string[]
}

/** More transactions than this since the last poll count as a change without a check of their rows. */
const MAX_OWN = 10_000
/**
 * A snapshot does not list savepoints, which have ids too, and rows written after a savepoint carry its id. So the status of every
 * id that was running, or was assigned since the last poll, is read separately.
 */
const SNAPSHOT = `SELECT s.next, ARRAY(
    SELECT pg_snapshot_xip(s.snapshot)::text
    UNION SELECT id::text FROM (
      SELECT unnest($1::bigint[]) UNION ALL
      SELECT generate_series(greatest(coalesce($2, s.oldest), s.next - ${MAX_OWN}), s.next - 1)) AS known (id)
    WHERE CASE WHEN id < s.next THEN pg_xact_status(id::text::xid8) END = 'in progress') AS running
  FROM (SELECT c AS snapshot, pg_snapshot_xmax(c)::text::bigint AS next, pg_snapshot_xmin(c)::text::bigint AS oldest
    FROM pg_current_snapshot() AS c) AS s`

/** Every commit writes a row to one of these tables. The id in the row, xmin, has 32 bits. */
const WRITTEN_TABLES = [
  'millrace_job_counts',
  'millrace_job_types',
  'millrace_settings',
  'millrace_workers',
  'millrace_bulk_operations',
]
const MARKED = `SELECT ${WRITTEN_TABLES.map(
  (table) => `EXISTS (SELECT 1 FROM ${table} WHERE xmin::text::bigint = ANY($1::bigint[]))`,
).join(' OR ')} AS marked`
const XID_SPACE = 2 ** 32

export class OtherCommits {
  private readonly own = new Set<number>()
  private polled: Snapshot | null = null

  /** Earlier commits do not count as a change. */
  async begin(queryable: Queryable): Promise<void> {
    this.polled = await take(queryable, null)
  }

  /** True when another node has committed since the last poll. */
  async poll(queryable: Queryable): Promise<boolean> {
    const since = this.polled
    const snapshot = await take(queryable, since)
    const hasChanges = since === null || (await this.hasChanges(queryable, since, snapshot))
    // Only after success: a failed check is repeated by the next poll.
    this.polled = snapshot
    return hasChanges
  }

  /** To be called inside a transaction of this node, after its last write. A transaction without writes has no id. */
  async rememberOwn(queryable: NamedQueryable): Promise<Mark | null> {
    const mark = await readMark(queryable)
    if (mark) this.remember(mark.id)
    return mark
  }

  /** After a lost connection: if the server crashed, it assigns our ids again, possibly to other nodes. */
  forget(): void {
    this.own.clear()
    this.polled = null
  }

  private async hasChanges(queryable: Queryable, since: Snapshot, now: Snapshot): Promise<boolean> {
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

  /** The id of a transaction of this node. */
  remember(id: number): void {
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
  if (!row) throw new Error('PostgreSQL did not return its current snapshot.')
  return { next: row.next, running: new Set(row.running.map(Number)) }
}

/** Ids of transactions that were running or not begun at `since` and have ended now: commits finish out of order. */
function endedBetween(since: Snapshot, now: Snapshot): readonly number[] {
  const ended = [...since.running]
  for (let id = since.next; id < now.next; id++) ended.push(id)
  return ended.filter((id) => !now.running.has(id))
}
