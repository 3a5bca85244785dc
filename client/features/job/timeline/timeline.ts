/** Timeline of a job: enqueue, attempts, operator actions and the next run, in order. */
import type { Attempt, JobSummary } from '../../../../shared/job.ts'

export interface OperatorAction {
  readonly id: number
  readonly at: number
  readonly actor: string
  readonly action: string
}

export type TimelineEntry =
  | { readonly kind: 'enqueued'; readonly key: string; readonly at: number; readonly source: string }
  | ({ readonly kind: 'attempt'; readonly key: string; readonly at: number; readonly waitedMs: number } & {
      readonly attempt: Attempt
      /** Start of the following attempt, if any. An operator may have started it before it was due. */
      readonly nextAt: number | null
    })
  | ({ readonly kind: 'running'; readonly key: string; readonly at: number; readonly waitedMs: number } & {
      readonly version: number
      readonly worker: string | null
      readonly cancelRequestedAt: number | null
    })
  | { readonly kind: 'action'; readonly key: string; readonly at: number; readonly action: OperatorAction }
  | { readonly kind: 'blocked'; readonly key: string; readonly at: number; readonly groupKey: string | null }
  | { readonly kind: 'next'; readonly key: string; readonly at: number; readonly isRetry: boolean }

type TimelineJob = Pick<
  JobSummary,
  'createdAt' | 'face' | 'runAt' | 'status' | 'version' | 'startedAt' | 'lockedBy' | 'cancelRequestedAt' | 'groupKey'
>

export function buildTimeline(
  job: TimelineJob,
  attempts: readonly Attempt[],
  actions: readonly OperatorAction[],
): readonly TimelineEntry[] {
  const inOrder = [...actions].sort((a, b) => a.id - b.id)
  const readyAt = (startedAt: number, before: Attempt | undefined): number => {
    const since = before?.nextRunAt ?? before?.finishedAt ?? job.createdAt
    // `runAt` is the initial delay only until the second attempt overwrites it.
    const due = !before && attempts.length < 2 && job.runAt <= startedAt ? Math.max(since, job.runAt) : since
    const madeDue = inOrder.filter(
      ({ action, at }) => MAKES_DUE.has(action) && at <= startedAt && at >= (before?.finishedAt ?? 0),
    )
    return madeDue.at(-1)?.at ?? Math.min(due, startedAt)
  }
  const entries: TimelineEntry[] = [{ kind: 'enqueued', key: 'enqueued', at: job.createdAt, source: job.face }]
  const hasEnded = attempts.some(({ version }) => version === job.version)
  const runningSince = job.status === 'processing' && !hasEnded ? job.startedAt : null
  for (const [index, attempt] of attempts.entries()) {
    const waitedMs = attempt.startedAt - readyAt(attempt.startedAt, attempts[index - 1])
    const nextAt = attempts[index + 1]?.startedAt ?? runningSince
    const key = `attempt-${attempt.version}`
    entries.push({ kind: 'attempt', key, at: attempt.startedAt, waitedMs, attempt, nextAt })
  }
  if (runningSince !== null) {
    const { version, lockedBy, cancelRequestedAt } = job
    entries.push({
      kind: 'running',
      key: `attempt-${version}`,
      at: runningSince,
      waitedMs: runningSince - readyAt(runningSince, attempts.at(-1)),
      version,
      worker: lockedBy,
      cancelRequestedAt,
    })
  }
  for (const action of inOrder) entries.push({ kind: 'action', key: `action-${action.id}`, at: action.at, action })
  entries.sort((a, b) => a.at - b.at)
  if (job.status === 'scheduled' || job.status === 'retrying') {
    entries.push({ kind: 'next', key: 'next', at: job.runAt, isRetry: job.status === 'retrying' })
  }
  if (job.status === 'blocked') {
    entries.push({ kind: 'blocked', key: 'blocked', at: job.runAt, groupKey: job.groupKey })
  }
  return entries
}

/** Actions that make a job due immediately. */
const MAKES_DUE: ReadonlySet<string> = new Set(['retry', 'runNow'])
