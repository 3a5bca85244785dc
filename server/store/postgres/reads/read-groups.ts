/** Reads of groups: totals, overridden rules, and pages of keys. */
import { contains } from '../../list/job-filter.ts'
import { decodeKeyCursor, encodeKeyCursor } from '../../list/key-cursor.ts'
import type { GroupKeysParams, GroupTotals, StoredKey } from '../../records.ts'
import {
  GROUP,
  GROUPS_SETTING,
  type GroupRecord,
  parseGroupOverrides,
  parseKeyRules,
  stateOfKey,
} from '../../rows/group-rows.ts'
import type { Row } from '../../rows/tables.ts'
import type { Reads } from '../../store.ts'
import type { ReadOptions } from './read-options.ts'

type GroupReads = Pick<Reads, 'groupTotals' | 'groupOverrides' | 'groupKeys' | 'groupKey'>

type KeyRow = GroupRecord & Pick<StoredKey, 'oldestBlockedAt' | 'turnId'>

const HAS_JOBS = 'g.pending + g.processing + g.blocked > 0'

/** The first blocked job in line, found by millrace_jobs_blocked. */
const OLDEST = `(SELECT j.run_at FROM millrace_jobs j WHERE j.group_name = g.name AND j.group_key = g.key AND j.status = 'blocked'
  ORDER BY j.priority DESC, j.run_at, j.seq LIMIT 1)`

/** Later than any instant: keys without blocked jobs come last. */
const NEVER = Number.MAX_SAFE_INTEGER

/** The highest rank comes first. */
const RANKS: Record<GroupKeysParams['sort'], string> = {
  blocked: 'g.blocked',
  oldest: `-CASE WHEN g.blocked = 0 THEN ${NEVER} ELSE coalesce(${OLDEST}, ${NEVER}) END`,
  running: 'g.processing',
}

const FULL_KEY = `${GROUP.of('g')}, CASE WHEN g.blocked > 0 THEN ${OLDEST} END AS "oldestBlockedAt",
  (SELECT j.id FROM millrace_jobs j WHERE j.seq = g.turn_seq) AS "turnId"`

// Sorted by bytes (collation C), as SQLite sorts.
const TOTALS = `SELECT g.name, count(*) AS keys, sum(g.pending)::bigint AS pending, sum(g.processing)::bigint AS processing,
    sum(g.blocked)::bigint AS blocked
  FROM millrace_job_groups g WHERE ${HAS_JOBS} GROUP BY g.name ORDER BY g.name COLLATE "C"`

/** One page is found by the sort value alone; only its keys get the other columns. */
function pageOf(rank: string): string {
  return `SELECT ${FULL_KEY}, p.rank FROM (
      SELECT name, key, rank FROM (
        SELECT g.name, g.key, ${rank} AS rank FROM millrace_job_groups g
        WHERE g.name = $1 AND ($2::text IS NULL OR g.key COLLATE "C" ILIKE $2)
          AND (${HAS_JOBS} OR g.override IS NOT NULL OR g.stopped_at IS NOT NULL)) AS ranked
      WHERE $3::bigint IS NULL OR rank < $3 OR (rank = $3 AND key COLLATE "C" > $4)
      ORDER BY rank DESC, key COLLATE "C" LIMIT $5) AS p
    JOIN millrace_job_groups g ON g.name = p.name AND g.key = p.key
    ORDER BY p.rank DESC, p.key COLLATE "C"`
}

export function createGroupReads({ open }: Pick<ReadOptions, 'open'>): GroupReads {
  return {
    async groupTotals() {
      return (await open().query<GroupTotals>({ name: 'read-group-totals', text: TOTALS })).rows
    },
    async groupOverrides() {
      const text = 'SELECT value FROM millrace_settings WHERE key = $1'
      const config = { name: 'read-group-overrides', text, values: [GROUPS_SETTING] }
      const [row] = (await open().query<Row<'settings', 'value'>>(config)).rows
      return parseGroupOverrides(row?.value)
    },
    async groupKeys({ name, search, sort, limit, cursor }) {
      const last = decodeKeyCursor(sort, cursor)
      const pattern = search === null ? null : contains(search)
      const { rows } = await open().query<KeyRow & { readonly rank: number }>({
        name: `read-group-keys-${sort}`,
        text: pageOf(RANKS[sort]),
        // One more shows whether there is another page.
        values: [name, pattern, last?.rank ?? null, last?.key ?? null, limit + 1],
      })
      const shown = rows.slice(0, limit)
      const end = shown.at(-1)
      return {
        rows: shown.map(toStoredKey),
        nextCursor: end && rows.length > limit ? encodeKeyCursor(sort, end) : null,
      }
    },
    async groupKey({ name, key }) {
      const text = `SELECT ${FULL_KEY} FROM millrace_job_groups g WHERE g.name = $1 AND g.key = $2`
      const [row] = (await open().query<KeyRow>({ name: 'read-group-key', text, values: [name, key] })).rows
      return row ? toStoredKey(row) : null
    },
  }
}

function toStoredKey(row: KeyRow): StoredKey {
  const { name, key, wakeAt, oldestBlockedAt, turnId } = row
  return { ...stateOfKey(row), name, key, wakeAt, override: parseKeyRules(row.override) ?? {}, oldestBlockedAt, turnId }
}
