/** Ordered sources of jobs, read window by window: what they have in common. */
import type { Key, Position } from '../../list/list-key.ts'
import { type Page, PageCollector, type Step } from '../../list/list-page.ts'
import type { Pace } from '../../list/pace.ts'
import type { Queryable } from '../connection/open.ts'
import type { Condition } from './list-filter.ts'
import { Statement } from './statement.ts'

/** Looks at the next window behind `after`; `need` matches are enough. */
export type Walk = (after: Key | null, pace: Pace, need: number) => Promise<Step>

/** Of `jobs j`. */
export const KEY = 'j.seq, j.priority, j.run_at as "runAt"'
export const WITH_BODIES = 'left join millrace_job_bodies b on b.seq = j.seq'

export const NOTHING: Walk = async () => ({ matches: [], last: null })

export async function collect(walk: Walk, start: Position, limit: number, pace: Pace): Promise<Page> {
  const collector = new PageCollector(start, limit, pace)
  for (;;) {
    const page = collector.take(await walk(collector.after, pace, collector.need))
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

export async function selectKeys(queryable: Queryable, text: string, values: unknown[]): Promise<readonly Key[]> {
  // Not prepared: a plan for these very values is worth the planning.
  return (await queryable.query<Key>(text, values)).rows
}

/** Those of `keys` whose jobs meet all conditions, in the order given. */
export async function testKeys(
  queryable: Queryable,
  keys: readonly Key[],
  conditions: readonly Condition[],
): Promise<readonly Key[]> {
  if (conditions.length === 0 || keys.length === 0) return keys
  const statement = new Statement()
  const seqs = statement.value(keys.map((key) => key.seq))
  const text = `select ${KEY} from unnest(${seqs}::bigint[]) with ordinality as e (seq, place)
    join millrace_jobs j on j.seq = e.seq ${WITH_BODIES} where true${statement.and(conditions)} order by e.place`
  return selectKeys(queryable, text, statement.values)
}
