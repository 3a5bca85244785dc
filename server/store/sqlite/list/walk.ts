/** Walks: ordered sources of jobs, read window by window within a time budget. */
import type { Key, Position } from '../../list/list-key.ts'
import { type Page, PageCollector, type Step } from '../../list/list-page.ts'
import type { Pace } from '../../list/pace.ts'
import { KEY_COLUMNS } from '../../rows/list-keys.ts'
import type { SelectKeys } from './key-statements.ts'
import { type Fragment, joinAnd } from './list-filter.ts'

/** Reads the next window behind `after`; `need` matches are enough. */
export type Walk = (after: Key | null, pace: Pace, need: number) => Step

export const NOTHING: Walk = () => ({ matches: [], last: null })

export function collect(walk: Walk, start: Position, limit: number, pace: Pace): Page {
  const collector = new PageCollector(start, limit, pace)
  for (;;) {
    const page = collector.take(walk(collector.after, pace, collector.need))
    if (page) return page
  }
}

/** Continues with `second` when `first` has read `rows` jobs without filling the page. */
export function switchAfter(rows: number, first: Walk, second: Walk): Walk {
  let seen = 0
  return (after, pace, need) => {
    if (seen >= rows) return second(after, pace, need)
    seen += pace.size
    return first(after, pace, need)
  }
}

/** Those of `keys` whose jobs meet all conditions, in the same order. */
export function testKeys(
  selectKeys: SelectKeys,
  keys: readonly Key[],
  conditions: readonly Fragment[],
): readonly Key[] {
  if (conditions.length === 0 || keys.length === 0) return keys
  const condition = joinAnd(conditions)
  const sql = `SELECT ${KEY_COLUMNS}
    FROM json_each(?) e CROSS JOIN millrace_jobs j ON j.seq = e.value LEFT JOIN millrace_job_bodies b ON b.seq = j.seq
    WHERE ${condition.sql} ORDER BY e.key`
  return selectKeys(sql, [JSON.stringify(keys.map((key) => key.seq)), ...condition.params])
}
