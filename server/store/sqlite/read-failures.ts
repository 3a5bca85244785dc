/** Failures of the last week, grouped by type and by what their messages share. */
import { HOUR } from '../../../shared/limits.ts'
import type { FailureGroup } from '../store.ts'
import type { Client } from './open.ts'
import type { SyncReads } from './sync-reads.ts'

type FailureReads = Pick<SyncReads, 'failureGroups'>

interface Part {
  readonly type: string
  readonly errorKey: string
  readonly n: number
  readonly firstAt: number
  readonly lastAt: number
}

interface Group {
  readonly type: string
  readonly errorKey: string
  /** Failures per hour, the current one first. */
  readonly hours: number[]
  firstSeenAt: number
  lastSeenAt: number
}

const DAY_HOURS = 24
const WEEK_HOURS = 7 * DAY_HOURS
/** Sorted at once, about 20 ms. */
const WINDOW_ROWS = 20_000
/** Groups cost more than a page, and are looked at less often. */
const BUDGETS = 4
const FAILURES = 'from job_attempts indexed by job_attempts_failures where error_key is not null'

export function createFailureReads(
  client: Client,
  options: { readonly now: () => number; readonly searchBudgetMs: number },
): FailureReads {
  const edge = client.prepare<[number, number, number], { finishedAt: number }>(
    `select finished_at as finishedAt ${FAILURES} and finished_at > ? and finished_at <= ?
    order by finished_at desc limit 1 offset ?`,
  )
  const window = client.prepare<[{ lower: number; upper: number; type: string | null }], Part>(
    `select type, error_key as errorKey, count(*) as n, min(finished_at) as firstAt, max(finished_at) as lastAt
    ${FAILURES} and finished_at > @lower and finished_at <= @upper and (@type is null or type = @type)
    group by type, error_key`,
  )
  const sample = client.prepare<[number, string, string], { id: string; error: string }>(
    `select j.id, coalesce(a.error, a.error_key) as error
    from job_attempts a indexed by job_attempts_failures join jobs j on j.seq = a.seq
    where a.error_key is not null and a.finished_at = ? and a.type = ? and a.error_key = ?
    order by a.seq desc, a.version desc limit 1`,
  )

  /** The newest hours first, so that when time runs out it is the oldest failures that are not counted. */
  function collect(now: number, type: string | null): Group[] {
    const deadline = performance.now() + BUDGETS * options.searchBudgetMs
    const groups = new Map<string, Group>()
    // What a clock that went back left in the future belongs to the current hour.
    let upper = Number.MAX_SAFE_INTEGER
    for (let hour = 0; hour < WEEK_HOURS; hour++) {
      const floor = now - (hour + 1) * HOUR
      while (upper > floor && performance.now() < deadline) {
        const last = edge.get(floor, upper, WINDOW_ROWS)
        const lower = last ? last.finishedAt - 1 : floor
        for (const part of window.all({ lower, upper, type })) add(groups, part, hour)
        upper = lower
      }
    }
    return [...groups.values()]
  }

  function failureGroups({ type, limit }: Parameters<FailureReads['failureGroups']>[0]): readonly FailureGroup[] {
    return collect(options.now(), type)
      .map(summarise)
      .sort((a, b) => b.lastDay - a.lastDay || b.lastSeenAt - a.lastSeenAt || compareNames(a, b))
      .slice(0, limit)
      .flatMap((group) => {
        const recent = sample.get(group.lastSeenAt, group.type, group.errorKey)
        return recent ? [{ ...group, sampleId: recent.id, sampleError: recent.error }] : []
      })
  }

  return { failureGroups: client.transaction(failureGroups) }
}

function add(groups: Map<string, Group>, part: Part, hour: number): void {
  const { type, errorKey, firstAt, lastAt } = part
  // A type has no line breaks.
  const name = `${type}\n${errorKey}`
  const known = groups.get(name)
  const group = known ?? { type, errorKey, hours: [], firstSeenAt: firstAt, lastSeenAt: lastAt }
  if (!known) groups.set(name, group)
  group.hours[hour] = (group.hours[hour] ?? 0) + part.n
  group.firstSeenAt = Math.min(group.firstSeenAt, firstAt)
  group.lastSeenAt = Math.max(group.lastSeenAt, lastAt)
}

function summarise({ hours, ...group }: Group): Omit<FailureGroup, 'sampleId' | 'sampleError'> {
  const sum = (count: number) => hours.slice(0, count).reduce((total, n) => total + n, 0)
  return {
    ...group,
    lastHour: sum(1),
    lastDay: sum(DAY_HOURS),
    lastWeek: sum(WEEK_HOURS),
    trend: Array.from({ length: DAY_HOURS }, (_, i) => hours[DAY_HOURS - 1 - i] ?? 0),
  }
}

function compareNames(a: Omit<FailureGroup, 'sampleId' | 'sampleError'>, b: typeof a): number {
  return a.type < b.type || (a.type === b.type && a.errorKey < b.errorKey) ? -1 : 1
}
