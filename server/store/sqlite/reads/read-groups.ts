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
import type { Client } from '../connection/open.ts'
import type { SyncReads } from './sync-reads.ts'

type GroupReads = Pick<SyncReads, 'groupTotals' | 'groupOverrides' | 'groupKeys' | 'groupKey'>

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
  oldest: `-iif(g.blocked = 0, ${NEVER}, coalesce(${OLDEST}, ${NEVER}))`,
  running: 'g.processing',
}

const FULL_KEY = `${GROUP.of('g')}, iif(g.blocked = 0, NULL, ${OLDEST}) AS "oldestBlockedAt",
  (SELECT j.id FROM millrace_jobs j WHERE j.seq = g.turn_seq) AS "turnId"`

export function createGroupReads(client: Client): GroupReads {
  const totals = client.prepare<[], GroupTotals>(
    `SELECT g.name, count(*) AS keys, sum(g.pending) AS pending, sum(g.processing) AS processing, sum(g.blocked) AS blocked
     FROM millrace_job_groups g WHERE ${HAS_JOBS} GROUP BY g.name ORDER BY g.name`,
  )
  const overrides = client
    .prepare<[], string>(`SELECT value FROM millrace_settings WHERE key = '${GROUPS_SETTING}'`)
    .pluck()
  const one = client.prepare<[string, string], KeyRow>(
    `SELECT ${FULL_KEY} FROM millrace_job_groups g WHERE g.name = ? AND g.key = ?`,
  )
  const page = (rank: string) =>
    client.prepare<PageParams, KeyRow & { readonly rank: number }>(
      `SELECT ${FULL_KEY}, p.rank FROM (
         SELECT rowid AS place, key, rank FROM (
           SELECT g.rowid, g.key, ${rank} AS rank FROM millrace_job_groups g
           WHERE g.name = @name AND (@search IS NULL OR g.key LIKE @search ESCAPE '\\')
             AND (${HAS_JOBS} OR g.override IS NOT NULL OR g.stopped_at IS NOT NULL))
         WHERE @rank IS NULL OR rank < @rank OR (rank = @rank AND key > @key)
         ORDER BY rank DESC, key LIMIT @limit + 0) AS p JOIN millrace_job_groups g ON g.rowid = p.place
       ORDER BY p.rank DESC, p.key`,
    )
  const pages = { blocked: page(RANKS.blocked), oldest: page(RANKS.oldest), running: page(RANKS.running) }

  return {
    groupTotals: () => totals.all(),
    groupOverrides: () => parseGroupOverrides(overrides.get()),
    groupKeys({ name, search, sort, limit, cursor }) {
      const last = decodeKeyCursor(sort, cursor)
      const rows = pages[sort].all({
        name,
        search: search === null ? null : contains(search),
        rank: last?.rank ?? null,
        key: last?.key ?? null,
        // One more shows whether there is another page.
        limit: limit + 1,
      })
      const shown = rows.slice(0, limit)
      const end = shown.at(-1)
      return {
        rows: shown.map(toStoredKey),
        nextCursor: end && rows.length > limit ? encodeKeyCursor(sort, end) : null,
      }
    },
    groupKey({ name, key }) {
      const row = one.get(name, key)
      return row ? toStoredKey(row) : null
    },
  }
}

interface PageParams {
  readonly name: string
  readonly search: string | null
  readonly rank: number | null
  readonly key: string | null
  readonly limit: number
}

function toStoredKey(row: KeyRow): StoredKey {
  const { name, key, wakeAt, oldestBlockedAt, turnId } = row
  return { ...stateOfKey(row), name, key, wakeAt, override: parseKeyRules(row.override) ?? {}, oldestBlockedAt, turnId }
}
