/** Keys of groups that are stopped or paused and have blocked jobs, for the inspection. */
import { checkGroups, type HeldKey } from '../../../../shared/groups/check-groups.ts'
import { groupsToCheck } from '../../decisions/held-groups.ts'
import type { Finding } from '../../findings.ts'
import { SETTING, STORED_TYPE } from '../../rows/rule-rows.ts'
import type { RowOf } from '../../rows/tables.ts'
import type { Client } from '../connection/open.ts'

// The first blocked job in line of each key is found by millrace_jobs_blocked.
const HELD = `SELECT name, key, blocked, stopped_at AS since, 'stopped' AS reason FROM millrace_job_groups
    WHERE blocked > 0 AND stopped_at IS NOT NULL AND name IN (SELECT value FROM json_each(@strict))
  UNION ALL
  SELECT name, iif(own, key, NULL), sum(blocked), min(since), 'paused' FROM (
    SELECT g.name, g.key, g.blocked, g.override ->> '$.paused' AS own, (SELECT j.run_at FROM millrace_jobs j
        WHERE j.group_name = g.name AND j.group_key = g.key AND j.status = 'blocked'
        ORDER BY j.priority DESC, j.run_at, j.seq LIMIT 1) AS since
    FROM millrace_job_groups g
    WHERE g.blocked > 0 AND coalesce(g.override ->> '$.paused', g.name IN (SELECT value FROM json_each(@paused))))
  GROUP BY 1, 2`

export function inspectGroups(client: Client, now: number): readonly Finding[] {
  const types = client.prepare<[], RowOf<typeof STORED_TYPE>>(`SELECT ${STORED_TYPE.list} FROM millrace_job_types`)
  const settings = client.prepare<[], RowOf<typeof SETTING>>(`SELECT ${SETTING.list} FROM millrace_settings`)
  const names = client
    .prepare<[], string>('SELECT DISTINCT name FROM millrace_job_groups WHERE blocked > 0 ORDER BY name')
    .pluck()
  const held = client.prepare<[{ readonly paused: string; readonly strict: string }], HeldKey>(HELD)
  const { paused, strict } = groupsToCheck({ types: types.all(), settings: settings.all() }, names.all())
  return checkGroups(held.all({ paused: JSON.stringify(paused), strict: JSON.stringify(strict) }), now)
}
