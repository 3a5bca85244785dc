/** Findings of the database inspection: one per check. */
import { type CheckedSchedule, checkSchedules } from '../../shared/schedules/check-schedules.ts'
import { checkWaitingJobs, workersSeen } from '../../shared/stats/waiting-jobs.ts'
import type { JobGroup } from './decisions/group-of-job.ts'
import type { STORED_TYPE } from './rows/rule-rows.ts'
import { pausedOf } from './rows/stored-json.ts'
import type { Row, RowOf } from './rows/tables.ts'

export type Level = 'ok' | 'warn' | 'bad' | 'skipped'

export interface Finding {
  readonly check: string
  readonly level: Level
  /** A sentence that includes what to do. */
  readonly text: string
}

/** Counts and instants of jobs that are not progressing. */
export interface Delays {
  readonly now: number
  /** The end of the leader's lease; null: maintenance has never run. */
  readonly upkeepUntil: number | null
  readonly unfinished: number
  /** Jobs whose lease ended, or that became due, over LATE_MS ago. */
  readonly endedLeases: number
  readonly overdue: number
}

/** Rows of types with ready jobs, and of the workers seen in the last minute. */
export interface ReadyRows {
  readonly isQueuePaused: boolean
  readonly types: readonly (RowOf<typeof STORED_TYPE> & { readonly ready: number; readonly readySince: number })[]
  readonly workers: readonly Row<'workers', 'types' | 'drainRequestedAt'>[]
}

/** Upkeep acts within seconds: a job that is later than this is stuck. */
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
  const longestWaitMs = open.reduce((most, { readyMs }) => Math.max(most, readyMs), 0)
  const claiming = rows.workers.filter(({ drainRequestedAt }) => drainRequestedAt === null)
  const workers = claiming.map((worker): readonly string[] => JSON.parse(worker.types))
  const draining = rows.workers.length - claiming.length
  const stuck = [
    ...(endedLeases > 0 ? [`${jobs(endedLeases)} with a lease that ended over a minute ago`] : []),
    ...(overdue > 0 ? [`${jobs(overdue)} due for over a minute`] : []),
  ]
  return [
    isLed || unfinished === 0
      ? ok('maintenance', isLed ? 'running' : 'not running, and no unfinished job needs it')
      : warn('maintenance', 'not running: jobs that become due or lose their worker wait until a server is started'),
    stuck.length === 0
      ? ok('stuck jobs', 'none')
      : bad('stuck jobs', `${stuck.join(', ')}; start a server or a worker on this queue`),
    longestWaitMs > LONG_READY_MS && rows.workers.length === 0
      ? warn(
          'workers',
          `none seen in the last minute, and a job has been waiting for ${Math.round(longestWaitMs / 60_000)} min`,
        )
      : ok('workers', workersSeen(rows.workers.length, draining)),
    ...checkWaitingJobs({ isQueuePaused: rows.isQueuePaused, types, workers }),
  ]
}

/** Rows of the schedules that may be a problem, and how many schedules there are. */
export interface ScheduleRows {
  readonly now: number
  readonly total: number
  readonly schedules: readonly CheckedSchedule[]
}

export function judgeSchedules({ schedules, total, now }: ScheduleRows): readonly Finding[] {
  return checkSchedules(schedules, total, now)
}

/** Upkeep records every two seconds that it trusts the clock. */
export const BELIEVED_MS = 60_000

export function clockWaits(ms: number): string {
  return `maintenance last trusted the clock ${Math.round(ms / 60_000)} min ago: retention and expiry wait until it has been steady for an hour`
}

/** Compares the counters per type and status, and those of keys of groups, with the rows. */
export function judgeCounters(
  wrong: readonly { readonly type: string; readonly status: string }[],
  total: number,
  wrongKeys: readonly JobGroup[] = [],
): Finding {
  const [first] = wrong
  const [key] = wrongKeys
  if (!first && key)
    return bad('counters', `wrong for key ${key.key} of group ${key.name}; this is a bug, please report it`)
  if (!first) return ok('counters', `correct: ${jobs(total)}`)
  const others = wrong.length > 1 ? ` and ${wrong.length - 1} more` : ''
  return bad('counters', `wrong for ${first.type} ${first.status}${others}; this is a bug, please report it`)
}

export function judgeIndexes(
  expected: readonly string[],
  found: readonly string[],
  broken: readonly string[],
): Finding {
  const missing = expected.filter((name) => !found.includes(name))
  const foreign = found.filter((name) => !expected.includes(name))
  if (missing.length > 0)
    return bad('indexes', `missing: ${missing.join(', ')}; without them the queue becomes slow or incorrect`)
  if (broken.length > 0) return bad('indexes', `not valid: ${broken.join(', ')}; REINDEX them`)
  if (foreign.length > 0)
    return warn('indexes', `not part of the schema: ${foreign.join(', ')}; each makes every write slower`)
  return ok('indexes', `all ${expected.length} exist, and no others`)
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
