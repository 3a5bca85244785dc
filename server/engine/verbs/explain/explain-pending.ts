/** Explains why a ready job has not been claimed yet, with the relevant numbers. Pure. */

import type { PendingReason, QueuePosition } from '../../../../shared/explanation.ts'
import type { JobSummary } from '../../../../shared/job.ts'
import type { WorkerRow } from '../../../../shared/records.ts'
import type { EffectiveSettings } from '../../../../shared/settings/settings.ts'
import { SOURCES } from '../../../../shared/sources.ts'
import type { StatusCounts } from '../../../../shared/status.ts'
import { formatDuration, grouped, plural } from './explain-format.ts'

/** Jobs ahead in claim order are counted up to this number. */
export const MOST_AHEAD = 1_000

export interface PendingFacts {
  readonly job: JobSummary
  readonly now: number
  readonly queuePaused: boolean
  readonly queueRate: number | null
  readonly settings: EffectiveSettings
  readonly counts: StatusCounts
  /** Claimable jobs of this type now, within all limits; with 0, `nextAt` is when a rate limit admits the next one. */
  readonly claimable: number
  readonly nextAt: number | null
  readonly ahead: number
  /** Workers seen in the last minute that take this type. */
  readonly workers: readonly Pick<WorkerRow, 'processing' | 'slots'>[]
}

export function positionOf(facts: PendingFacts): QueuePosition {
  const { settings, workers, ahead, queueRate } = facts
  const slots = workers.map((worker) => worker.slots)
  return {
    ahead: Math.min(ahead, MOST_AHEAD),
    isMore: ahead > MOST_AHEAD,
    running: facts.counts.processing,
    maxConcurrency: settings.maxConcurrency,
    rate: settings.rate,
    burst: settings.burst,
    queueRate,
    estimatedAt: isRateLimited(facts) ? estimate(facts) : null,
    workers: workers.length,
    busySlots: workers.reduce((sum, { processing }) => sum + processing, 0),
    slots: slots.includes(null) ? null : slots.reduce<number>((sum, n) => sum + (n ?? 0), 0),
  }
}

export function whyPending(facts: PendingFacts, line: QueuePosition): readonly [PendingReason, string] {
  const { job, settings, now } = facts
  const { type } = job
  if (facts.queuePaused) return ['queue_paused', 'The whole queue is paused; resume it.']
  if (settings.paused) return ['type_paused', `Type ${type} is paused; resume it.`]
  if (isAtMost(facts)) {
    const most = grouped(settings.maxConcurrency ?? 0)
    return [
      'at_max_concurrency',
      `${grouped(line.running)} jobs of type ${type} are running, and its limit is ${most} at a time; ${place(line)}.`,
    ]
  }
  if (isRateLimited(facts))
    return ['rate_limited', `${rateText(facts)} is used up for the moment; ${place(line)}${soon(line, now)}.`]
  if (line.workers === 0) {
    return ['no_worker', `It is ready, but no worker that takes type ${type} has been seen in the last minute.`]
  }
  if (job.crashes > 0 && job.face !== SOURCES.messages) {
    return [
      'waits_for_idle_worker',
      'It waits for a worker that runs nothing else, because its last run ended with its worker; such jobs run alone.',
    ]
  }
  const since = `It has been ready for ${formatDuration(now - job.runAt)}`
  if (facts.workers.every(({ slots, processing }) => slots !== null && processing >= slots)) {
    const all = line.workers === 1 ? 'the only worker that takes' : `all ${grouped(line.workers)} workers that take`
    return [
      'workers_busy',
      `${since}, and ${all} type ${type} ${line.workers === 1 ? 'is' : 'are'} busy: ${used(line)}; ${place(line)}.`,
    ]
  }
  return [
    'ready',
    `${since}; ${place(line)}. ${plural(line.workers, 'worker takes', 'workers take')} its type: ${used(line)}.`,
  ]
}

function isAtMost({ settings, counts }: PendingFacts): boolean {
  return settings.maxConcurrency !== null && counts.processing >= settings.maxConcurrency
}

function isRateLimited(facts: PendingFacts): boolean {
  return !facts.queuePaused && !facts.settings.paused && !isAtMost(facts) && facts.claimable === 0
}

/** Assumes one claim per job ahead, at the slower of the two rates. */
function estimate({ settings, queueRate, nextAt, ahead, now }: PendingFacts): number | null {
  const rates = [settings.rate, queueRate].filter((rate) => rate !== null)
  if (rates.length === 0 || ahead > MOST_AHEAD) return null
  return Math.round(Math.max(now, nextAt ?? now) + (ahead / Math.min(...rates)) * 1_000)
}

function rateText({ job, settings, queueRate }: PendingFacts): string {
  const ofQueue = queueRate === null ? '' : `the rate limit of the whole queue (${rate(queueRate)})`
  if (settings.rate === null) return ofQueue === '' ? `The rate limit for type ${job.type}` : `T${ofQueue.slice(1)}`
  const ofType = `The rate limit for type ${job.type} (${rate(settings.rate)}, at most ${grouped(settings.burst ?? 1)} at once)`
  return ofQueue === '' ? ofType : `${ofType}, or ${ofQueue},`
}

function rate(perSecond: number): string {
  if (perSecond >= 1) return `${grouped(perSecond)} per second`
  const perMinute = perSecond * 60
  return perMinute >= 1 ? `${grouped(perMinute)} per minute` : `${grouped(perSecond * 3_600)} per hour`
}

function place({ ahead, isMore }: QueuePosition): string {
  if (isMore) return `more than ${grouped(ahead)} jobs of its type are ahead of it`
  return ahead === 0
    ? 'it is the next of its type'
    : `${plural(ahead, 'job of its type is', 'jobs of its type are')} ahead of it`
}

function soon({ estimatedAt }: QueuePosition, now: number): string {
  return estimatedAt === null ? '' : `, and its turn comes in about ${formatDuration(estimatedAt - now)}`
}

function used({ busySlots, slots }: QueuePosition): string {
  return slots === null
    ? `${plural(busySlots, 'job is', 'jobs are')} held`
    : `${grouped(busySlots)} of ${plural(slots, 'slot is', 'slots are')} in use`
}
