/** One entry of the timeline: a dot in the colour of its outcome, a heading and details. */
import type { ReactNode } from 'react'
import type { Attempt } from '../../../../shared/job.ts'
import { countdown, measured } from '../../../lib/format-duration.ts'
import { useNow } from '../../../live/use-now.ts'
import { Age } from '../../../ui/Age.tsx'
import { ErrorText } from '../ErrorText.tsx'
import { formatSource } from '../format.ts'
import { TimeBar } from './TimeBar.tsx'
import type { TimelineEntry } from './timeline.ts'

const ACTION_TEXTS: Readonly<Record<string, string>> = {
  retry: 'retried the job',
  runNow: 'ran the job now',
  cancel: 'cancelled the job',
  'bulk.undo': 'undid a bulk action',
}

export function TimelineItem({ entry, longestMs }: { entry: TimelineEntry; longestMs: number }) {
  switch (entry.kind) {
    case 'enqueued':
      return (
        <Item tone="cancelled" isHollow title="Enqueued" at={entry.at} more={`via ${formatSource(entry.source)}`} />
      )
    case 'action': {
      const { actor, action } = entry.action
      return <Item tone="pending" isHollow title={`${actor} ${ACTION_TEXTS[action] ?? action}`} at={entry.at} />
    }
    case 'next':
      return (
        <Item tone="scheduled" isHollow isDue title={entry.isRetry ? 'Next attempt' : 'First attempt'} at={entry.at} />
      )
    case 'blocked':
      return (
        <Item
          tone="blocked"
          isHollow
          title="Blocked"
          at={entry.at}
          more={entry.groupKey === null ? 'since it became due' : `waits for key ${entry.groupKey}`}
        />
      )
    case 'running':
      return <Running entry={entry} />
    case 'attempt':
      return <Ended entry={entry} longestMs={longestMs} />
  }
}

function Running({ entry }: { entry: Extract<TimelineEntry, { kind: 'running' }> }) {
  const { version, worker, waitedMs, at, cancelRequestedAt } = entry
  const now = useNow()
  return (
    <Item tone="processing" title={`Attempt ${version}`} label="running" at={at} outcome="running">
      <DetailLine>
        <span>{worker ?? 'unknown worker'}</span>
        <span>waited {measured(waitedMs)}</span>
        <span className="text-ink">running for {countdown(Math.max(0, Math.floor((now - at) / 1_000) * 1_000))}</span>
      </DetailLine>
      {cancelRequestedAt !== null && (
        <p className="mt-1 text-muted">
          Cancel requested <Age at={cancelRequestedAt} />. The job runs until its handler stops.
        </p>
      )}
    </Item>
  )
}

const TONES = { completed: 'completed', failed: 'failed', crashed: 'failed', released: 'cancelled' } as const
const OUTCOME_TEXTS = { completed: 'completed', failed: 'failed', crashed: 'crashed', released: 'released' } as const

function Ended({ entry, longestMs }: { entry: Extract<TimelineEntry, { kind: 'attempt' }>; longestMs: number }) {
  const { attempt, waitedMs, nextAt } = entry
  const { version, worker, startedAt, finishedAt, outcome, statusAfter, error, exitCode } = attempt
  const isCancelled = statusAfter === 'cancelled'
  const ranMs = finishedAt - startedAt
  const tone = isCancelled ? 'cancelled' : TONES[outcome]
  return (
    <Item
      tone={tone}
      title={`Attempt ${version}`}
      label={isCancelled ? 'cancelled' : OUTCOME_TEXTS[outcome]}
      at={startedAt}
      outcome={outcome}
    >
      <DetailLine>
        <span>{worker ?? 'unknown worker'}</span>
        <span>waited {measured(waitedMs)}</span>
        <span>ran {measured(ranMs)}</span>
        {exitCode !== null && <span>exit code {exitCode}</span>}
        {outcome === 'released' && <span>not counted as an attempt</span>}
        {statusAfter === 'retrying' && <span>{formatRetry(attempt, nextAt)}</span>}
        {statusAfter === 'failed' && <span>final attempt</span>}
      </DetailLine>
      <TimeBar waitedMs={waitedMs} ranMs={ranMs} longestMs={longestMs} />
      {error !== null && <ErrorText text={error} />}
    </Item>
  )
}

/** Actual delay of the retry once it has started; the scheduled delay until then. */
function formatRetry({ finishedAt, nextRunAt }: Attempt, nextAt: number | null): string {
  if (nextAt !== null) return `retried after ${measured(Math.max(0, nextAt - finishedAt))}`
  return nextRunAt === null ? '' : `retry scheduled after ${measured(nextRunAt - finishedAt)}`
}

function DetailLine({ children }: { children: ReactNode }) {
  return <p className="flex flex-wrap gap-x-3 text-muted">{children}</p>
}

interface ItemProps {
  readonly tone: string
  readonly isHollow?: boolean
  readonly title: string
  readonly label?: string
  readonly more?: string
  readonly at: number
  /** The time may lie in the future. */
  readonly isDue?: boolean
  readonly outcome?: string
  readonly children?: ReactNode
}

function Item({ tone, isHollow = false, title, label, more, at, isDue = false, outcome, children }: ItemProps) {
  return (
    <li
      data-tone={tone}
      data-outcome={outcome}
      className="relative pb-4 pl-6 last:pb-0 not-last:before:absolute not-last:before:top-4 not-last:before:bottom-0 not-last:before:left-[4.5px] not-last:before:w-px not-last:before:bg-line"
    >
      <span
        aria-hidden="true"
        className={`absolute top-1.5 left-0 size-2.5 rounded-full ${isHollow ? 'border-[1.5px] border-tone bg-surface' : 'bg-tone'}`}
      />
      <p className="flex flex-wrap items-baseline gap-x-2">
        <span className="font-medium">{title}</span>
        {label !== undefined && <span className="font-medium text-tone-ink">{label}</span>}
        {more !== undefined && <span className="text-muted">{more}</span>}
        <span className="ml-auto text-muted text-xs">
          <Age at={at} isDue={isDue} />
        </span>
      </p>
      {children}
    </li>
  )
}
