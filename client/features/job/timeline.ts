/** A job's life in the order it happened: how it came in, every attempt, what operators did, and what comes next. */
import type { Attempt, JobSummary } from '../../../shared/job.ts'

export interface Act {
  readonly id: number
  readonly at: number
  readonly actor: string
  readonly action: string
}

export type Chapter =
  | { readonly kind: 'enqueued'; readonly key: string; readonly at: number; readonly face: string }
  | ({ readonly kind: 'attempt'; readonly key: string; readonly at: number; readonly waitedMs: number } & {
      readonly attempt: Attempt
      /** When the one after it began, once that is known: an operator may have made it sooner than it was due. */
      readonly nextAt: number | null
    })
  | ({ readonly kind: 'running'; readonly key: string; readonly at: number; readonly waitedMs: number } & {
      readonly version: number
      readonly worker: string | null
      readonly cancelRequestedAt: number | null
    })
  | { readonly kind: 'act'; readonly key: string; readonly at: number; readonly act: Act }
  | { readonly kind: 'next'; readonly key: string; readonly at: number; readonly isRetry: boolean }

/** What an attempt waits for. */
type Told = Pick<
  JobSummary,
  'createdAt' | 'face' | 'runAt' | 'status' | 'version' | 'startedAt' | 'lockedBy' | 'cancelRequestedAt'
>

export function tellStory(job: Told, attempts: readonly Attempt[], acts: readonly Act[]): readonly Chapter[] {
  const inOrder = [...acts].sort((a, b) => a.id - b.id)
  const readyAt = (startedAt: number, before: Attempt | undefined): number => {
    const since = before?.nextRunAt ?? before?.finishedAt ?? job.createdAt
    // The delay a job came in with is known as long as it has not been tried twice.
    const due = !before && attempts.length < 2 && job.runAt <= startedAt ? Math.max(since, job.runAt) : since
    const pushed = inOrder.filter(
      ({ action, at }) => WAKES.has(action) && at <= startedAt && at >= (before?.finishedAt ?? 0),
    )
    return pushed.at(-1)?.at ?? Math.min(due, startedAt)
  }
  const chapters: Chapter[] = [{ kind: 'enqueued', key: 'enqueued', at: job.createdAt, face: job.face }]
  const isTold = attempts.some(({ version }) => version === job.version)
  const runningSince = job.status === 'processing' && !isTold ? job.startedAt : null
  for (const [place, attempt] of attempts.entries()) {
    const waitedMs = attempt.startedAt - readyAt(attempt.startedAt, attempts[place - 1])
    const nextAt = attempts[place + 1]?.startedAt ?? runningSince
    const key = `attempt-${attempt.version}`
    chapters.push({ kind: 'attempt', key, at: attempt.startedAt, waitedMs, attempt, nextAt })
  }
  if (runningSince !== null) {
    const { version, lockedBy, cancelRequestedAt } = job
    chapters.push({
      kind: 'running',
      key: `attempt-${version}`,
      at: runningSince,
      waitedMs: runningSince - readyAt(runningSince, attempts.at(-1)),
      version,
      worker: lockedBy,
      cancelRequestedAt,
    })
  }
  for (const act of inOrder) chapters.push({ kind: 'act', key: `act-${act.id}`, at: act.at, act })
  chapters.sort((a, b) => a.at - b.at)
  if (job.status === 'scheduled' || job.status === 'retrying') {
    chapters.push({ kind: 'next', key: 'next', at: job.runAt, isRetry: job.status === 'retrying' })
  }
  return chapters
}

/** After these a job could run at once. */
const WAKES: ReadonlySet<string> = new Set(['retry', 'runNow'])
