/** Collects one page from any ordered source of jobs, window by window, within a time budget. */

import type { Key, Position } from '../../list/list-key.ts'
import { type Page, PageCollector, type Step } from '../../list/list-page.ts'
import type { Pace } from '../../list/pace.ts'
import type { SelectKeys } from './key-statements.ts'
import { type Fragment, joinAnd } from './list-filter.ts'

/** Looks at the next window behind `after`; `need` matches are enough. */
export type Walk = (after: Key | null, pace: Pace, need: number) => Step

export const NOTHING: Walk = () => ({ matches: [], last: null })

export function collect(walk: Walk, start: Position, limit: number, pace: Pace): Page {
  const collector = new PageCollector(start, limit, pace)
  for (;;) {
    const page = collector.take(walk(collector.after, pace, collector.need))
    if (page) return page
  }
}

/** Goes on with `second` from where `first` stands after having looked at `rows` jobs in vain. */
export function switchAfter(rows: number, first: Walk, second: Walk): Walk {
  let seen = 0
  return (after, pace, need) => {
    if (seen >= rows) return second(after, pace, need)
    seen += pace.size
    return first(after, pace, need)
  }
}

/** Those of `keys` whose jobs meet all conditions, in the order given. */
export function testKeys(
  selectKeys: SelectKeys,
  keys: readonly Key[],
  conditions: readonly Fragment[],
): readonly Key[] {
  if (conditions.length === 0 || keys.length === 0) return keys
  const condition = joinAnd(conditions)
  const sql = `select j.seq, j.priority, j.run_at as runAt
    from json_each(?) e cross join millrace_jobs j on j.seq = e.value left join millrace_job_bodies b on b.seq = j.seq
    where ${condition.sql} order by e.key`
  return selectKeys(sql, [JSON.stringify(keys.map((key) => key.seq)), ...condition.params])
}
