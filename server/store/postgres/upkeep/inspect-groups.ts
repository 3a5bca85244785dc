/** Keys of groups that are stopped or paused and have blocked jobs, for the inspection. */
import type { QueryResultRow } from 'pg'
import { checkGroups, type HeldKey } from '../../../../shared/groups/check-groups.ts'
import { groupsToCheck } from '../../decisions/held-groups.ts'
import type { Finding } from '../../findings.ts'
import { SETTING, STORED_TYPE } from '../../rows/rule-rows.ts'
import type { RowOf } from '../../rows/tables.ts'
import type { QueryRow } from './query-row.ts'

const RULES = `SELECT
    (SELECT coalesce(json_agg(types), '[]') FROM (SELECT ${STORED_TYPE.list} FROM millrace_job_types) types) AS types,
    (SELECT coalesce(json_agg(settings), '[]') FROM (SELECT ${SETTING.list} FROM millrace_settings) settings) AS settings,
    (SELECT coalesce(json_agg(DISTINCT name), '[]') FROM millrace_job_groups WHERE blocked > 0) AS names`

// The first blocked job in line of each key is found by millrace_jobs_blocked.
const HELD = `WITH held AS (
    SELECT name, key, blocked, stopped_at AS since, 'stopped' AS reason FROM millrace_job_groups
    WHERE blocked > 0 AND stopped_at IS NOT NULL AND name = ANY($2::text[])
    UNION ALL
    SELECT name, CASE WHEN own THEN key END, sum(blocked), min(since), 'paused' FROM (
      SELECT g.name, g.key, g.blocked, (g.override::jsonb ->> 'paused')::boolean AS own, (SELECT j.run_at FROM millrace_jobs j
          WHERE j.group_name = g.name AND j.group_key = g.key AND j.status = 'blocked'
          ORDER BY j.priority DESC, j.run_at, j.seq LIMIT 1) AS since
      FROM millrace_job_groups g
      WHERE g.blocked > 0 AND coalesce((g.override::jsonb ->> 'paused')::boolean, g.name = ANY($1::text[]))) AS paused
    GROUP BY 1, 2)
  SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now, (SELECT coalesce(json_agg(held), '[]') FROM held) AS held`

interface RulesRow extends QueryResultRow {
  readonly types: RowOf<typeof STORED_TYPE>[]
  readonly settings: RowOf<typeof SETTING>[]
  readonly names: string[]
}

export async function inspectGroups(queryRow: QueryRow): Promise<readonly Finding[]> {
  const { names, ...stored } = await queryRow<RulesRow>(RULES)
  const { paused, strict } = groupsToCheck(stored, names)
  const { held, now } = await queryRow<{ held: HeldKey[]; now: number }>(HELD, [paused, strict])
  return checkGroups(held, now)
}
