/** Checks of `doctor` that work through a server: readiness, clock, waiting jobs. */
import { z } from 'zod'
import { limits, MINUTE, SECOND } from '../../../../shared/limits.ts'
import type { Queue } from '../../../../shared/queue.ts'
import { type CheckedSchedule, checkSchedules } from '../../../../shared/schedules/check-schedules.ts'
import { checkWaitingJobs, type WaitingType, workersSeen } from '../../../../shared/stats/waiting-jobs.ts'
import type { Clock } from '../../../base/clock.ts'
import type { InspectionResult } from '../../../ops/maintenance.ts'
import { bytes, count, DIALECTS } from '../../output/format.ts'
import { roundedDuration } from '../../output/times.ts'
import { WORKER_SEEN_MS } from '../status.ts'

/** The Date header has a resolution of one second. */
const MAX_SKEW_MS = 5 * SECOND
const LATE_MS = MINUTE
const LONG_READY_MS = 5 * MINUTE

const readiness = z.object({ problems: z.array(z.string()) })

export async function inspectServer(queue: Queue, url: string, clock: Clock): Promise<readonly InspectionResult[]> {
  const facts = await queue.facts()
  const { problems, now } = await fetchReadiness(url, clock)
  const [stats, types, settings, workers, running, waiting, schedules] = await Promise.all([
    queue.stats(),
    queue.types(),
    queue.settings(),
    queue.workers(),
    queue.list({ status: ['processing'], sort: 'oldest', limit: limits.list }),
    queue.list({ status: ['scheduled', 'retrying'], sort: 'claim', limit: limits.list }),
    readSchedules(queue),
  ])
  const lapsed = running.jobs.filter(({ leaseUntil }) => leaseUntil !== null && leaseUntil < now - LATE_MS)
  const overdue = waiting.jobs.filter(({ runAt }) => runAt < now - LATE_MS)
  const online = workers.filter(({ seenAt }) => now - seenAt < WORKER_SEEN_MS)
  const active = online.filter(({ drainRequestedAt }) => drainRequestedAt === null)
  const waitMs = stats.oldestReadyMs ?? 0
  const skewMs = now - clock.now()
  const stuck = lapsed.length + overdue.length
  const skipped = 'needs direct access to the database'
  return [
    result(
      'database',
      'ok',
      `${DIALECTS[facts.dialect]} ${facts.version}, ${facts.location}, ${bytes(facts.sizeBytes)}`,
    ),
    result('ready', problems.length === 0 ? 'ok' : 'bad', problems.length === 0 ? 'yes' : problems.join('; ')),
    facts.hasNewerSchema
      ? result('version', 'warn', 'a newer version has migrated the database; upgrade this server')
      : result('version', 'ok', 'no newer version has migrated the database'),
    facts.durability === 'full'
      ? result('durability', 'ok', 'full')
      : result('durability', 'warn', 'normal: power loss may lose the last moments'),
    facts.isClockUnsure
      ? result(
          'clock',
          'warn',
          'jumped ahead: retention and expiry are on hold until the clock has been stable for an hour',
        )
      : Math.abs(skewMs) > MAX_SKEW_MS
        ? result(
            'clock',
            'warn',
            `the server is ${roundedDuration(Math.abs(skewMs))} ${skewMs > 0 ? 'ahead of' : 'behind'} this machine`,
          )
        : result('clock', 'ok', 'the server and this machine differ by less than 5 s'),
    stuck === 0
      ? result('stuck jobs', 'ok', 'none')
      : result('stuck jobs', 'bad', `${count(stuck, 'job')} overdue for more than a minute`),
    waitMs > LONG_READY_MS && online.length === 0
      ? result(
          'workers',
          'warn',
          `none seen in the last minute, and a job has been waiting for ${roundedDuration(waitMs)}`,
        )
      : result('workers', 'ok', workersSeen(online.length, online.length - active.length)),
    ...checkWaitingJobs({
      isQueuePaused: settings.paused ?? false,
      types: waitingTypes(types, stats),
      workers: active.map((worker) => worker.types),
    }),
    ...checkSchedules(schedules, schedules.length, now),
    facts.isFull ? result('disk', 'bad', 'full: new jobs are rejected') : result('disk', 'ok', 'not full'),
    result('counters', 'skipped', skipped),
    result('integrity', 'skipped', skipped),
    result('indexes', 'skipped', skipped),
  ]
}

async function readSchedules(queue: Queue): Promise<readonly CheckedSchedule[]> {
  const all: CheckedSchedule[] = []
  let cursor: string | undefined
  do {
    const page = await queue.schedules({ limit: limits.list, cursor })
    for (const { name, nextRunAt, paused, orphanedAt } of page.schedules) {
      all.push({ name, nextRunAt, pausedBy: paused?.actor ?? null, pauseNote: paused?.note ?? null, orphanedAt })
    }
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
  return all
}

function waitingTypes(
  types: Awaited<ReturnType<Queue['types']>>,
  { byType, oldestReadyMsByType }: Awaited<ReturnType<Queue['stats']>>,
): readonly WaitingType[] {
  return types.flatMap(({ name, kind, effective }) => {
    const readyMs = oldestReadyMsByType[name]
    const ready = byType[name]?.pending ?? 0
    return readyMs === undefined ? [] : [{ name, kind, isPaused: effective.paused, ready, readyMs }]
  })
}

function result(check: string, level: InspectionResult['level'], text: string): InspectionResult {
  return { check, level, text }
}

/** `/ready` is served at the root, regardless of BASE_PATH. */
async function fetchReadiness(url: string, clock: Clock): Promise<{ problems: readonly string[]; now: number }> {
  const response = await fetch(new URL('/ready', url))
  const date = Date.parse(response.headers.get('date') ?? '')
  const body = readiness.safeParse(await response.json().catch(() => null))
  const problems = body.success ? body.data.problems : [`unexpected response to /ready: ${response.status}`]
  // The Date header is truncated to the second; add half a second on average.
  return { problems, now: Number.isNaN(date) ? clock.now() : date + SECOND / 2 }
}
