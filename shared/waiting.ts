/** Which ready jobs wait although they should not: types that no worker takes, jobs ready for long, and what is paused. */
import { DAY, HOUR, MINUTE } from './limits.ts'
import type { Kind } from './status.ts'

/** A type with ready jobs. */
export interface WaitingType {
  readonly name: string
  readonly kind: Kind
  readonly isPaused: boolean
  readonly ready: number
  /** For how long the oldest of them has been ready. */
  readonly readyMs: number
}

export interface Waiting {
  readonly isQueuePaused: boolean
  readonly types: readonly WaitingType[]
  /** The types of each worker that was seen in the last minute and does not drain; none named: all that hold plain jobs. */
  readonly workers: readonly (readonly string[])[]
}

export interface WaitingFinding {
  readonly check: 'waiting jobs' | 'paused'
  readonly level: 'ok' | 'warn'
  readonly text: string
}

/** A worker that is being replaced is back within this time. */
const UNTAKEN_MS = MINUTE
const LONG_READY_MS = 5 * MINUTE
/** More are counted. */
const MAX_NAMED = 5

export function judgeWaiting({ isQueuePaused, types, workers }: Waiting): readonly WaitingFinding[] {
  // Messages are received by any program, and no worker tells of it.
  const open = types.filter(({ kind, isPaused }) => (kind === 'job' || kind === 'command') && !isPaused)
  const takenBy = (type: WaitingType) => workers.filter((named) => takes(named, type)).length
  const untaken = open.filter((type) => type.readyMs > UNTAKEN_MS && takenBy(type) === 0)
  const late = open.filter((type) => type.readyMs > LONG_READY_MS && takenBy(type) > 0)
  return [...(isQueuePaused ? [] : judgeOpen(untaken, late)), judgePaused(isQueuePaused, types)]
}

/** What doctor says of workers that were seen in the last minute, `draining` of which take no more jobs. */
export function heardOf(workers: number, draining: number): string {
  return `${workers} heard of in the last minute${draining > 0 ? `, ${draining} of them draining` : ''}`
}

function takes(named: readonly string[], { name, kind }: WaitingType): boolean {
  return named.length === 0 ? kind === 'job' : named.includes(name)
}

function judgeOpen(untaken: readonly WaitingType[], late: readonly WaitingType[]): readonly WaitingFinding[] {
  const warn = (text: string): WaitingFinding => ({ check: 'waiting jobs', level: 'warn', text })
  const findings = [
    ...(untaken.length > 0
      ? [warn(`no worker takes ${list(untaken)}; start a worker for it, or queuectl pause it if its jobs are to wait`)]
      : []),
    ...(late.length > 0
      ? [
          warn(
            `${list(late)}: workers take it, but they are busy or a limit holds it back; queuectl explain with the id of ` +
              'a job says which',
          ),
        ]
      : []),
  ]
  if (findings.length > 0) return findings
  return [
    {
      check: 'waiting jobs',
      level: 'ok',
      text: 'none has been ready for over a minute without a worker, or over 5 min with one',
    },
  ]
}

/** A pause is deliberate: information, not a warning. */
function judgePaused(isQueuePaused: boolean, types: readonly WaitingType[]): WaitingFinding {
  const ok = (text: string): WaitingFinding => ({ check: 'paused', level: 'ok', text })
  if (isQueuePaused) return ok('the whole queue is paused; queuectl resume lets it go on')
  const paused = types.filter(({ isPaused }) => isPaused)
  if (paused.length === 0) return ok('no paused type has jobs ready')
  return ok(`${list(paused)}; queuectl resume with the name of the type lets its jobs go on`)
}

/** Longest first. */
function list(types: readonly WaitingType[]): string {
  const sorted = types.toSorted((a, b) => b.readyMs - a.readyMs)
  const named = sorted.slice(0, MAX_NAMED).map(({ name, ready, readyMs }) => {
    return `${name} (${ready} ${ready === 1 ? 'job' : 'jobs'}, ready for ${roughly(readyMs)})`
  })
  const more = types.length - named.length
  return more > 0 ? `${named.join(', ')} and ${more} more` : named.join(', ')
}

function roughly(ms: number): string {
  if (ms < 2 * HOUR) return `${Math.round(ms / MINUTE)} min`
  return ms < 2 * DAY ? `${Math.round(ms / HOUR)} h` : `${Math.round(ms / DAY)} d`
}
