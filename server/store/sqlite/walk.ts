/** Collects one page from any ordered source of jobs, window by window, within a time budget. */
import type { SelectKeys } from './key-statements.ts'
import { type Fragment, joinAnd } from './list-filter.ts'
import type { Key, NextPosition, Position } from './list-key.ts'
import type { Pace } from './pace.ts'

export interface Step {
  /** In list order; may be more than were needed. */
  readonly matches: readonly Key[]
  /** The last job looked at; null when there is nothing behind it. */
  readonly last: Key | null
}

/** Looks at the next window behind `after`; `need` matches are enough. */
export type Walk = (after: Key | null, pace: Pace, need: number) => Step

export interface Page {
  readonly keys: readonly Key[]
  /** Where the next page starts; null at the end. */
  readonly next: NextPosition | null
}

export const NOTHING: Walk = () => ({ matches: [], last: null })

export function collect(walk: Walk, { key: start, skip }: Position, limit: number, pace: Pace): Page {
  const wanted = skip + limit
  const found: Key[] = []
  let after = start
  for (;;) {
    // One more than wanted tells whether there is a next page.
    const step = walk(after, pace, wanted + 1 - found.length)
    for (const key of step.matches) found.push(key)
    const keys = found.slice(skip, wanted)
    const lastKey = keys.at(-1)
    if (found.length > wanted && lastKey) return { keys, next: { key: lastKey, skip: 0 } }
    if (step.last === null) return { keys, next: null }
    if (pace.spent()) return { keys, next: { key: step.last, skip: Math.max(0, skip - found.length) } }
    pace.lap()
    after = step.last
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
    from json_each(?) e cross join jobs j on j.seq = e.value left join job_bodies b on b.seq = j.seq
    where ${condition.sql} order by e.key`
  return selectKeys(sql, [JSON.stringify(keys.map((key) => key.seq)), ...condition.params])
}
