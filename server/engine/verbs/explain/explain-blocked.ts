/** Explains why the group of a job keeps it blocked, with the relevant numbers. Pure. */
import type { GroupPosition } from '../../../../shared/explanation.ts'
import type { GroupKeyRow } from '../../../../shared/groups/records.ts'
import type { EffectiveGroupRules } from '../../../../shared/groups/rules.ts'
import type { ExplainFacts } from './explain.ts'
import { formatDuration, grouped, plural } from './explain-format.ts'
import { MOST_AHEAD } from './explain-pending.ts'

type Cause = NonNullable<GroupPosition['cause']>

export function groupPosition({ job, key, aheadInKey, now }: ExplainFacts): GroupPosition | null {
  if (!key) return null
  const isBlocked = job.status === 'blocked'
  return {
    name: key.name,
    key: key.key,
    cause: isBlocked ? causeOf(key, now) : null,
    ahead: isBlocked ? Math.min(aheadInKey, MOST_AHEAD) : 0,
    isMore: isBlocked && aheadInKey > MOST_AHEAD,
    pending: key.pending,
    processing: key.processing,
    blocked: key.blocked,
    concurrency: key.effective.concurrency,
    stoppedBy: key.stopped?.jobId ?? null,
  }
}

/** The strongest reason first: without it the next one would hold. */
function causeOf({ effective, stopped, busyUntil, pending, processing }: GroupKeyRow, now: number): Cause {
  const { paused, order, concurrency, rate, window } = effective
  if (paused) return 'paused'
  if (order === 'strict' && stopped !== null) return 'stopped'
  if (busyUntil !== null && busyUntil > now) return 'busy'
  if (order === 'strict') return 'order'
  if (concurrency !== null && pending + processing >= concurrency) return 'concurrency'
  if (rate !== null) return 'rate'
  return pending >= window ? 'window' : 'next'
}

export function whyBlocked(facts: ExplainFacts): string {
  const { job, key, aheadInKey, now } = facts
  if (!key) return `It waits for other jobs of key ${job.groupKey} of group ${job.groupName}.`
  const cause = causeOf(key, now)
  const waits = `${place(aheadInKey)}${soon(facts)}.`
  return `${sentences(cause, key, now, waits)}${noProgress(facts, cause)}`
}

function sentences(cause: Cause, row: GroupKeyRow, now: number, waits: string): string {
  const { name, key, pending, processing, effective, stopped } = row
  const of = `key ${key} of group ${name}`
  switch (cause) {
    case 'paused':
      return row.override.paused
        ? `Key ${key} of group ${name} is paused; resume it.`
        : `Group ${name} is paused; resume it.`
    case 'stopped': {
      const failed = stopped?.jobId ? `job ${stopped.jobId}` : 'a job that was removed'
      return `Key ${key} of group ${name} is stopped, because ${failed} failed for good; retry or remove that job, or resume the key.`
    }
    case 'busy':
      return `A handler threw GroupBusy: no job of ${of} starts in the next ${formatDuration((row.busyUntil ?? now) - now)}; ${waits}`
    case 'order': {
      const turn =
        pending + processing === 0 && row.turn ? `job ${row.turn} has its turn and waits for its retry; ` : ''
      return `The jobs of ${of} run one by one in the order of their enqueue, retries included; ${turn}${waits}`
    }
    case 'concurrency':
      return `${taken(row)} of at most ${grouped(effective.concurrency ?? 0)} jobs of ${of} at a time; ${waits}`
    case 'rate':
      return `The rate limit of ${of} (${rateText(effective)}) is used up for the moment; ${waits}`
    case 'window':
      return `${plural(pending, 'job', 'jobs')} of ${of} ${pending === 1 ? 'is' : 'are'} ready for workers already, and ${grouped(processing)} running; ${waits}`
    case 'next':
      return `There is room for the next job of ${of}; ${waits}`
  }
}

function taken({ pending, processing }: GroupKeyRow): string {
  const ready = pending === 0 ? '' : ` and ${grouped(pending)} ready`
  return `${grouped(processing)} running${ready}`
}

function rateText({ rate }: EffectiveGroupRules): string {
  if (rate === null) return 'none'
  const each = `${grouped(rate.limit)} per ${formatDuration(rate.perMs)}`
  return rate.burst === 1 ? each : `${each}, at most ${grouped(rate.burst)} at once`
}

function place(ahead: number): string {
  if (ahead > MOST_AHEAD) return `more than ${grouped(MOST_AHEAD)} jobs of the key are ahead of it`
  return ahead === 0
    ? 'it is the next of its key'
    : `${plural(ahead, 'job of the key is', 'jobs of the key are')} ahead of it`
}

/** When a rate limit lets the job become ready; null: unknown, because it waits for other jobs to end. */
export function blockedAt({ key, aheadInKey, now }: ExplainFacts): number | null {
  const nextAt = key?.nextAt ?? null
  if (!key || nextAt === null || aheadInKey > MOST_AHEAD) return null
  const { rate } = key.effective
  if (aheadInKey > 0 && rate === null) return null
  return Math.round(Math.max(now, nextAt) + aheadInKey * (rate === null ? 0 : rate.perMs / rate.limit))
}

function soon(facts: ExplainFacts): string {
  const at = blockedAt(facts)
  return at === null || at <= facts.now ? '' : `, and its turn comes in about ${formatDuration(at - facts.now)}`
}

/** Jobs of the key that are ready but never start keep the others blocked. */
function noProgress({ job, key, queuePaused, settings, workers }: ExplainFacts, cause: Cause): string {
  if (!key || key.pending === 0 || key.processing > 0 || cause === 'paused' || cause === 'stopped') return ''
  if (queuePaused) return ' The whole queue is paused; resume it.'
  if (settings.paused) return ` Type ${job.type} is paused; resume it.`
  return workers.length === 0 ? ` No worker that takes type ${job.type} has been seen in the last minute.` : ''
}
