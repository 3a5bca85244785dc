/** Keys whose blocked jobs may become pending, and keys that were paused, after rules have changed. */
import { MAX_HANDED_ON } from '../../../decisions/group-admission.ts'
import type { JobGroup } from '../../../decisions/group-of-job.ts'
import type { OpOf, OpValue } from '../../../ops.ts'
import { GROUP, GROUPS_SETTING, type GroupRecord } from '../../../rows/group-rows.ts'
import { columns } from '../../connection/session.ts'
import type { CommitContext } from '../context.ts'

/** Groups without overrides or types have rules as well, so their names come from the keys: one index lookup per group. */
const NAMES = `WITH RECURSIVE names AS (
    (SELECT name FROM millrace_job_groups ORDER BY name LIMIT 1)
    UNION ALL
    SELECT next.name FROM names, LATERAL (
      SELECT name FROM millrace_job_groups WHERE name > names.name ORDER BY name LIMIT 1) AS next)
  SELECT name FROM names`

/**
 * Keys that have places by their counts, that are paused and have pending jobs, or whose time to wake may be wrong: it was computed
 * before rules changed, or before the clock was set back. The hand-on then decides. In order of keys, so that those which stay as
 * they are do not stop the others.
 */
const FIND = `SELECT ${GROUP.of('g')} FROM (
    SELECT g.name, g.key FROM millrace_job_groups AS g
    JOIN unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::boolean[]) AS r (name, concurrency, places, burst, paused)
      ON r.name = g.name,
    LATERAL (SELECT
      CASE WHEN g.override::jsonb ? 'concurrency' THEN (g.override::jsonb ->> 'concurrency')::bigint
        ELSE r.concurrency END AS concurrency,
      CASE WHEN g.override IS NULL THEN least(r.places, r.burst) END AS places,
      coalesce((g.override::jsonb ->> 'paused')::boolean, r.paused) AS paused) AS own
    WHERE (g.name, g.key) > ($9, $10) AND ((own.paused AND g.pending > 0)
      OR (NOT own.paused AND g.blocked > 0 AND (own.concurrency IS NULL OR g.pending + g.processing < own.concurrency)
        AND (own.places IS NULL OR g.pending < own.places)
        AND (g.turn_seq IS NULL OR EXISTS (SELECT 1 FROM millrace_jobs WHERE seq = g.turn_seq AND status = 'blocked'))
        AND (g.wake_at IS NULL OR g.updated_at > $6 OR (g.wake_at > $6 AND g.updated_at <= (SELECT greatest(
          (SELECT max(updated_at) FROM millrace_job_types), (SELECT updated_at FROM millrace_settings WHERE key = $8)))))))
    ORDER BY g.name, g.key LIMIT $7) AS found
  JOIN millrace_job_groups AS g ON g.name = found.name AND g.key = found.key
  ORDER BY g.name, g.key FOR UPDATE OF g SKIP LOCKED`

/** Less than any key. */
const START: JobGroup = { name: '', key: '' }

/** How far this node has looked through the keys. Callers repeat the operation until no keys are left. */
export class AdmissionPass {
  /** The last key of the step before. */
  last = START

  /** Rules changed, or a step was rolled back: all keys are looked at again. */
  restart(): void {
    this.last = START
  }
}

export async function admitBlocked(
  { session, catalog, groups, pass }: CommitContext,
  { limit }: OpOf<'admitBlocked'>,
): Promise<OpValue<'admitBlocked'>> {
  await groups.handOn()
  groups.flush()
  const names = await session.rows<{ readonly name: string }>('group-names', NAMES, [])
  if (names.length === 0) return { more: false }
  const rules = names.map(({ name }) => ({ name, ...catalog.groupRules(name) }))
  const found = await session.rows<GroupRecord>('group-find', FIND, [
    ...columns(rules, (r) => [r.name, r.concurrency, r.window, r.rate?.burst ?? null, r.paused]),
    session.now,
    Math.min(limit, MAX_HANDED_ON),
    GROUPS_SETTING,
    pass.last.name,
    pass.last.key,
  ])
  for (const record of found) groups.touch(record)
  await groups.handOn()
  pass.last = found.at(-1) ?? START
  // Not compared with the limit: keys that other transactions hold are left out.
  return { more: found.length > 0 }
}
