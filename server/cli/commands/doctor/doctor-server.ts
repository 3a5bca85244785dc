/** What can be said of a server from outside: whether it is ready, what time it has, and which jobs wait too long. */
import { z } from 'zod'
import { limits, MINUTE, SECOND } from '../../../../shared/limits.ts'
import { heardOf, judgeWaiting, type WaitingType } from '../../../../shared/waiting.ts'
import type { Clock } from '../../../base/clock.ts'
import type { Examined } from '../../../ops/maintenance.ts'
import type { Queue } from '../../../queue/queue.ts'
import { inWords } from '../../input/times.ts'
import { DIALECTS } from '../../output/database-names.ts'
import { bytes, count } from '../../output/format.ts'
import { WORKER_HEARD_MS } from '../status.ts'

/** HTTP tells the time to the second. */
const MAX_SKEW_MS = 5 * SECOND
const LATE_MS = MINUTE
const LONG_READY_MS = 5 * MINUTE

const readiness = z.object({ problems: z.array(z.string()) })

export async function examineServer(queue: Queue, url: string, clock: Clock): Promise<readonly Examined[]> {
  const facts = await queue.facts()
  const { answer, now } = await askReady(url, clock)
  const [stats, types, settings, workers, running, waiting] = await Promise.all([
    queue.stats(),
    queue.types(),
    queue.settings(),
    queue.workers(),
    queue.list({ status: ['processing'], sort: 'oldest', limit: limits.list }),
    queue.list({ status: ['scheduled', 'retrying'], sort: 'claim', limit: limits.list }),
  ])
  const ended = running.jobs.filter(({ leaseUntil }) => leaseUntil !== null && leaseUntil < now - LATE_MS)
  const overdue = waiting.jobs.filter(({ runAt }) => runAt < now - LATE_MS)
  const online = workers.filter(({ seenAt }) => now - seenAt < WORKER_HEARD_MS)
  const takers = online.filter(({ drainRequestedAt }) => drainRequestedAt === null)
  const heard = online.length
  const waitMs = stats.oldestReadyMs ?? 0
  const skewMs = now - clock.now()
  const stuck = ended.length + overdue.length
  const where = 'run queuectl doctor on the database itself'
  return [
    one('database', 'ok', `${DIALECTS[facts.dialect]} ${facts.version}, ${facts.location}, ${bytes(facts.sizeBytes)}`),
    one('ready', answer.length === 0 ? 'ok' : 'bad', answer.length === 0 ? 'the server takes work' : answer.join('; ')),
    facts.hasNewerSchema
      ? one('version', 'warn', 'a newer version has migrated the database; restart this server with that version')
      : one('version', 'ok', 'no newer version has migrated the database'),
    facts.durability === 'full'
      ? one('durability', 'ok', 'full')
      : one('durability', 'warn', 'normal: power loss may take the last moments'),
    facts.isClockUnsure
      ? one('clock', 'warn', 'it jumped ahead: retention and expiry wait until it has been steady for an hour')
      : Math.abs(skewMs) > MAX_SKEW_MS
        ? one(
            'clock',
            'warn',
            `the server is ${inWords(Math.abs(skewMs))} ${skewMs > 0 ? 'ahead of' : 'behind'} this machine`,
          )
        : one('clock', 'ok', 'the server and this machine agree to a few seconds'),
    stuck === 0
      ? one('stuck jobs', 'ok', 'none')
      : one('stuck jobs', 'bad', `${count(stuck, 'job')} that should have gone on over a minute ago`),
    waitMs > LONG_READY_MS && heard === 0
      ? one('workers', 'warn', `none heard of in the last minute, and a job has been ready for ${inWords(waitMs)}`)
      : one('workers', 'ok', heardOf(heard, heard - takers.length)),
    ...judgeWaiting({
      isQueuePaused: settings.paused ?? false,
      types: waitingTypes(types, stats),
      workers: takers.map((worker) => worker.types),
    }),
    facts.isFull ? one('disk', 'bad', 'full: new jobs are refused') : one('disk', 'ok', 'there is room'),
    one('counters', 'skipped', where),
    one('integrity', 'skipped', where),
    one('indexes', 'skipped', where),
  ]
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

function one(check: string, level: Examined['level'], text: string): Examined {
  return { check, level, text }
}

/** Answered at the root, whatever path the API has. */
async function askReady(url: string, clock: Clock): Promise<{ answer: readonly string[]; now: number }> {
  const response = await fetch(new URL('/ready', url))
  const date = Date.parse(response.headers.get('date') ?? '')
  const body = readiness.safeParse(await response.json().catch(() => null))
  const answer = body.success ? body.data.problems : [`it answered /ready with ${response.status}`]
  // The time of an answer is cut to the second: half of one is the fairest guess.
  return { answer, now: Number.isNaN(date) ? clock.now() : date + SECOND / 2 }
}
