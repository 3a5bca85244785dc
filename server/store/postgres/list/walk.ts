/** Walks: ordered sources of jobs, read window by window within a time budget. */
import type { Key, Position } from '../../list/list-key.ts'
import { type Page, PageCollector, type Step } from '../../list/list-page.ts'
import type { Pace } from '../../list/pace.ts'
import { KEY_COLUMNS, type KeyRow } from '../../rows/list-keys.ts'
import type { Queryable } from '../connection/open.ts'
import type { Condition } from './list-filter.ts'
import { Statement } from './statement.ts'

/** Reads the next window behind `after`; `need` matches are enough. */
export type Walk = (after: Key | null, pace: Pace, need: number) => Promise<Step>

export const WITH_BODIES = 'LEFT JOIN millrace_job_bodies b ON b.seq = j.seq'

export const NOTHING: Walk = async () => ({ matches: [], last: null })

export async function collect(walk: Walk, start: Position, limit: number, pace: Pace): Promise<Page> {
  const collector = new PageCollector(start, limit, pace)
  for (;;) {
    const page = collector.take(await walk(collector.after, pace, collector.need))
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

export async function selectKeys(queryable: Queryable, text: string, values: unknown[]): Promise<readonly Key[]> {
  // Not prepared: a plan for these values is worth the planning time.
  return (await queryable.query<KeyRow>(text, values)).rows
}

/** Those of `keys` whose jobs meet all conditions, in the same order. */
export async function testKeys(
  queryable: Queryable,
  keys: readonly Key[],
  conditions: readonly Condition[],
): Promise<readonly Key[]> {
  if (conditions.length === 0 || keys.length === 0) return keys
  const statement = new Statement()
  const seqs = statement.value(keys.map((key) => key.seq))
  const text = `SELECT ${KEY_COLUMNS} FROM unnest(${seqs}::bigint[]) WITH ORDINALITY AS e (seq, place)
    JOIN millrace_jobs j ON j.seq = e.seq ${WITH_BODIES} WHERE TRUE${statement.and(conditions)} ORDER BY e.place`
  return selectKeys(queryable, text, statement.values)
}
