/** Doctor checks of waiting jobs: types without a worker, long waits, paused types. */
import { DAY, HOUR, MINUTE } from '../limits.ts'
import type { Kind } from '../status.ts'

/** A type with ready jobs. */
export interface WaitingType {
  readonly name: string
  readonly kind: Kind
  readonly isPaused: boolean
  readonly ready: number
  /** Age of the oldest ready job. */
  readonly readyMs: number
}

export interface Waiting {
  readonly isQueuePaused: boolean
  readonly types: readonly WaitingType[]
  /** Types of each worker seen in the last minute that is not draining. An empty list means all types of kind `job`. */
  readonly workers: readonly (readonly string[])[]
}

export interface WaitingFinding {
  readonly check: 'waiting jobs' | 'paused'
  readonly level: 'ok' | 'warn'
  readonly text: string
}

/** Longer than the restart of a worker. */
const NO_WORKER_MS = MINUTE
const LONG_READY_MS = 5 * MINUTE
/** Types listed by name; the rest is only counted. */
const MAX_NAMED = 5

export function checkWaitingJobs({ isQueuePaused, types, workers }: Waiting): readonly WaitingFinding[] {
  // Messages are received by plain HTTP clients, which do not register as workers.
  const active = types.filter(({ kind, isPaused }) => (kind === 'job' || kind === 'command') && !isPaused)
  const workersFor = (type: WaitingType) => workers.filter((named) => accepts(named, type)).length
  const unserved = active.filter((type) => type.readyMs > NO_WORKER_MS && workersFor(type) === 0)
  const slow = active.filter((type) => type.readyMs > LONG_READY_MS && workersFor(type) > 0)
  return [...(isQueuePaused ? [] : checkActive(unserved, slow)), checkPaused(isQueuePaused, types)]
}

/** Text of the workers check: workers seen in the last minute, and how many of them are draining. */
export function workersSeen(workers: number, draining: number): string {
  return `${workers} seen in the last minute${draining > 0 ? `, ${draining} of them draining` : ''}`
}

function accepts(named: readonly string[], { name, kind }: WaitingType): boolean {
  return named.length === 0 ? kind === 'job' : named.includes(name)
}

function checkActive(unserved: readonly WaitingType[], slow: readonly WaitingType[]): readonly WaitingFinding[] {
  const warn = (text: string): WaitingFinding => ({ check: 'waiting jobs', level: 'warn', text })
  const findings = [
    ...(unserved.length > 0
      ? [warn(`no worker runs ${listWaiting(unserved)}; start a worker for it, or pause the type with queuectl pause`)]
      : []),
    ...(slow.length > 0
      ? [
          warn(
            `${listWaiting(slow)}: workers are online, but they are busy or a limit applies; run queuectl explain with the id of ` +
              'a job to see which',
          ),
        ]
      : []),
  ]
  if (findings.length > 0) return findings
  return [
    {
      check: 'waiting jobs',
      level: 'ok',
      text: 'none has been waiting for over a minute without a worker, or over 5 min with one',
    },
  ]
}

/** A pause is deliberate: information, not a warning. */
function checkPaused(isQueuePaused: boolean, types: readonly WaitingType[]): WaitingFinding {
  const ok = (text: string): WaitingFinding => ({ check: 'paused', level: 'ok', text })
  if (isQueuePaused) return ok('the whole queue is paused; resume it with queuectl resume')
  const paused = types.filter(({ isPaused }) => isPaused)
  if (paused.length === 0) return ok('no paused type has waiting jobs')
  return ok(`${listWaiting(paused)}; resume a type with queuectl resume <type>`)
}

/** Longest first. */
export function listWaiting(types: readonly Pick<WaitingType, 'name' | 'ready' | 'readyMs'>[]): string {
  const sorted = types.toSorted((a, b) => b.readyMs - a.readyMs)
  const named = sorted.slice(0, MAX_NAMED).map(({ name, ready, readyMs }) => {
    return `${name} (${ready} ${ready === 1 ? 'job' : 'jobs'}, waiting for ${rounded(readyMs)})`
  })
  const more = types.length - named.length
  return more > 0 ? `${named.join(', ')} and ${more} more` : named.join(', ')
}

function rounded(ms: number): string {
  if (ms < 2 * HOUR) return `${Math.round(ms / MINUTE)} min`
  return ms < 2 * DAY ? `${Math.round(ms / HOUR)} h` : `${Math.round(ms / DAY)} d`
}
