/** One chapter of a job's story: a dot in the colour of its outcome, a heading, and what is worth knowing. */
import type { ReactNode } from 'react'
import type { Attempt } from '../../../shared/job.ts'
import { countdown, measured } from '../../lib/format-duration.ts'
import { useNow } from '../../live/use-now.ts'
import { ErrorText } from './ErrorText.tsx'
import { TimeBar } from './TimeBar.tsx'
import type { Chapter } from './timeline.ts'
import { When } from './When.tsx'

const ACTS: Readonly<Record<string, string>> = {
  retry: 'started it over',
  runNow: 'made it due at once',
  cancel: 'cancelled it',
  'bulk.undo': 'took that back',
}

export function ChapterItem({ chapter, longestMs }: { chapter: Chapter; longestMs: number }) {
  switch (chapter.kind) {
    case 'enqueued':
      return <Item tone="cancelled" isHollow title="Enqueued" at={chapter.at} more={`through ${chapter.face}`} />
    case 'act': {
      const { actor, action } = chapter.act
      return <Item tone="pending" isHollow title={`${actor} ${ACTS[action] ?? action}`} at={chapter.at} />
    }
    case 'next':
      return (
        <Item
          tone="scheduled"
          isHollow
          isDue
          title={chapter.isRetry ? 'Next attempt' : 'First attempt'}
          at={chapter.at}
        />
      )
    case 'running':
      return <Running chapter={chapter} />
    case 'attempt':
      return <Ended chapter={chapter} longestMs={longestMs} />
  }
}

function Running({ chapter }: { chapter: Extract<Chapter, { kind: 'running' }> }) {
  const { version, worker, waitedMs, at, cancelRequestedAt } = chapter
  const now = useNow()
  return (
    <Item tone="processing" title={`Attempt ${version}`} word="running" at={at} outcome="running">
      <Facts>
        <span>{worker ?? 'a worker'}</span>
        <span>waited {measured(waitedMs)}</span>
        <span className="text-ink">running for {countdown(Math.max(0, Math.floor((now - at) / 1_000) * 1_000))}</span>
      </Facts>
      {cancelRequestedAt !== null && (
        <p className="mt-1 text-muted">
          Asked to stop <When at={cancelRequestedAt} />; it runs until its handler has really stopped.
        </p>
      )}
    </Item>
  )
}

const TONES = { completed: 'completed', failed: 'failed', crashed: 'failed', released: 'cancelled' } as const
const WORDS = { completed: 'completed', failed: 'failed', crashed: 'crashed', released: 'given back' } as const

function Ended({ chapter, longestMs }: { chapter: Extract<Chapter, { kind: 'attempt' }>; longestMs: number }) {
  const { attempt, waitedMs, nextAt } = chapter
  const { version, worker, startedAt, finishedAt, outcome, statusAfter, error, exitCode } = attempt
  const isStopped = statusAfter === 'cancelled'
  const ranMs = finishedAt - startedAt
  const tone = isStopped ? 'cancelled' : TONES[outcome]
  return (
    <Item
      tone={tone}
      title={`Attempt ${version}`}
      word={isStopped ? 'stopped' : WORDS[outcome]}
      at={startedAt}
      outcome={outcome}
    >
      <Facts>
        <span>{worker ?? 'a worker'}</span>
        <span>waited {measured(waitedMs)}</span>
        <span>ran {measured(ranMs)}</span>
        {exitCode !== null && <span>exit code {exitCode}</span>}
        {outcome === 'released' && <span>does not count</span>}
        {statusAfter === 'retrying' && <span>{againWords(attempt, nextAt)}</span>}
        {statusAfter === 'failed' && <span>the last one</span>}
      </Facts>
      <TimeBar waitedMs={waitedMs} ranMs={ranMs} longestMs={longestMs} />
      {error !== null && <ErrorText text={error} />}
    </Item>
  )
}

/** When it is tried again is only known once it has been: until then, when it was to be. */
function againWords({ finishedAt, nextRunAt }: Attempt, nextAt: number | null): string {
  if (nextAt !== null) return `tried again ${measured(Math.max(0, nextAt - finishedAt))} later`
  return nextRunAt === null ? '' : `was due again in ${measured(nextRunAt - finishedAt)}`
}

function Facts({ children }: { children: ReactNode }) {
  return <p className="flex flex-wrap gap-x-3 text-muted">{children}</p>
}

interface ItemProps {
  readonly tone: string
  readonly isHollow?: boolean
  readonly title: string
  readonly word?: string
  readonly more?: string
  readonly at: number
  /** It is still to come. */
  readonly isDue?: boolean
  readonly outcome?: string
  readonly children?: ReactNode
}

function Item({ tone, isHollow = false, title, word, more, at, isDue = false, outcome, children }: ItemProps) {
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
        {word !== undefined && <span className="font-medium text-tone-ink">{word}</span>}
        {more !== undefined && <span className="text-muted">{more}</span>}
        <span className="ml-auto text-muted text-xs">
          <When at={at} isDue={isDue} />
        </span>
      </p>
      {children}
    </li>
  )
}
