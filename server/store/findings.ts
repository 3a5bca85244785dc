/** What a look over a database tells: one finding per thing looked at. */
import type { Kind } from '../../shared/status.ts'
import { heardOf, judgeWaiting } from '../../shared/waiting.ts'
import { pausedOf } from './rows/stored-json.ts'

export type Level = 'ok' | 'warn' | 'bad' | 'skipped'

export interface Finding {
  readonly check: string
  readonly level: Level
  /** In a sentence, with what to do about it. */
  readonly text: string
}

/** What keeps jobs from going on, as counts and instants. */
export interface Delays {
  readonly now: number
  /** Until when somebody looks after this queue; null when nobody ever did. */
  readonly upkeepUntil: number | null
  readonly unfinished: number
  /** Leases that ended a while ago, jobs that became due a while ago: nobody came for them. */
  readonly endedLeases: number
  readonly overdue: number
}

/** Types with ready jobs, as the tables hold them, and the workers that were seen in the last minute. */
export interface ReadyRows {
  readonly isQueuePaused: boolean
  readonly types: readonly {
    readonly name: string
    readonly kind: Kind
    readonly declared: string
    readonly override: string
    readonly ready: number
    readonly readySince: number
  }[]
  readonly workers: readonly {
    /** JSON. */
    readonly types: string
    readonly drainRequestedAt: number | null
  }[]
}

/** Upkeep acts within seconds; what it has not touched after this long, it will not touch. */
export const LATE_MS = 60_000
const LONG_READY_MS = 5 * 60_000

export function judgeDelays(delays: Delays, rows: ReadyRows): readonly Finding[] {
  const { now, upkeepUntil, unfinished, endedLeases, overdue } = delays
  const isLed = upkeepUntil !== null && upkeepUntil > now
  const paused = pausedOf(rows.types)
  const types = rows.types.map(({ name, kind, ready, readySince }) => {
    return { name, kind, isPaused: paused.has(name), ready, readyMs: now - readySince }
  })
  const open = rows.isQueuePaused ? [] : types.filter(({ isPaused }) => !isPaused)
  const waits = open.reduce((most, { readyMs }) => Math.max(most, readyMs), 0)
  const takers = rows.workers.filter(({ drainRequestedAt }) => drainRequestedAt === null)
  const workers = takers.map((worker): readonly string[] => JSON.parse(worker.types))
  const draining = rows.workers.length - takers.length
  const stuck = [
    ...(endedLeases > 0 ? [`${jobs(endedLeases)} with a lease that ended over a minute ago`] : []),
    ...(overdue > 0 ? [`${jobs(overdue)} due for over a minute`] : []),
  ]
  return [
    isLed || unfinished === 0
      ? ok('upkeep', isLed ? 'somebody looks after this queue' : 'nobody runs it now, and nothing needs it')
      : warn('upkeep', 'nobody runs it: jobs that become due or lose their worker wait for a server to start'),
    stuck.length === 0
      ? ok('stuck jobs', 'none')
      : bad('stuck jobs', `${stuck.join(', ')}; a server or a worker on this queue brings them on`),
    waits > LONG_READY_MS && rows.workers.length === 0
      ? warn(
          'workers',
          `none heard of in the last minute, and a job has been ready for ${Math.round(waits / 60_000)} min`,
        )
      : ok('workers', heardOf(rows.workers.length, draining)),
    ...judgeWaiting({ isQueuePaused: rows.isQueuePaused, types, workers }),
  ]
}

/** Upkeep notes every two seconds that it believes the clock. */
export const BELIEVED_MS = 60_000

export function clockWaits(ms: number): string {
  return `upkeep last believed the clock ${Math.round(ms / 60_000)} min ago: retention and expiry wait until it has been steady for an hour`
}

/** Counters per type and status against the rows themselves. */
export function judgeCounters(
  wrong: readonly { readonly type: string; readonly status: string }[],
  total: number,
): Finding {
  const [first] = wrong
  if (!first) return ok('counters', `${jobs(total)}, as counted`)
  const others = wrong.length > 1 ? ` and ${wrong.length - 1} more` : ''
  return bad('counters', `off for ${first.type} ${first.status}${others}; please report it as a bug`)
}

export function judgeIndexes(
  expected: readonly string[],
  found: readonly string[],
  broken: readonly string[],
): Finding {
  const missing = expected.filter((name) => !found.includes(name))
  const foreign = found.filter((name) => !expected.includes(name))
  if (missing.length > 0)
    return bad('indexes', `missing: ${missing.join(', ')}; without them the queue gets slow or wrong`)
  if (broken.length > 0) return bad('indexes', `not valid: ${broken.join(', ')}; REINDEX them`)
  if (foreign.length > 0) return warn('indexes', `not ours: ${foreign.join(', ')}; every one is paid for at each write`)
  return ok('indexes', `all ${expected.length} there, and no others`)
}

export function ok(check: string, text: string): Finding {
  return { check, level: 'ok', text }
}

export function warn(check: string, text: string): Finding {
  return { check, level: 'warn', text }
}

export function bad(check: string, text: string): Finding {
  return { check, level: 'bad', text }
}

export function skipped(check: string, text: string): Finding {
  return { check, level: 'skipped', text }
}

function jobs(number: number): string {
  return `${number} ${number === 1 ? 'job' : 'jobs'}`
}
