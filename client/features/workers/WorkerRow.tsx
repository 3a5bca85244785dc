/** One worker: version, job types, last heartbeat, running jobs and drain. */
import { useId, useState } from 'react'
import type { WorkerLiveness } from '../../../shared/stats/worker-liveness.ts'
import { shortAge } from '../../lib/format-duration.ts'
import { formatNumber } from '../../lib/format-number.ts'
import { useNow } from '../../live/use-now.ts'
import { Age } from '../../ui/Age.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Confirm } from '../../ui/Confirm.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import type { Worker } from './use-workers.ts'
import { WorkerJobs } from './WorkerJobs.tsx'

export const COLUMNS =
  'grid items-center gap-x-4 px-4 sm:px-5 md:grid-cols-[minmax(0,1fr)_minmax(0,8rem)_6rem_3.5rem_6rem_6rem] lg:grid-cols-[minmax(0,1fr)_minmax(0,11rem)_7rem_4.5rem_10.5rem_6rem]'

/** A ring for a worker that missed heartbeats, a grey ring once it is gone. */
const DOTS: Readonly<Record<WorkerLiveness, string>> = {
  reporting: 'bg-tone',
  stale: 'ring-[1.5px] ring-tone ring-inset',
  gone: 'ring-[1.5px] ring-faint ring-inset',
}

export interface WorkerRowProps {
  readonly worker: Worker
  readonly isOpen: boolean
  readonly onToggle: () => void
  readonly onDrain: (drain: boolean) => void
}

export function WorkerRow({ worker, isOpen, onToggle, onDrain }: WorkerRowProps) {
  const { name, version, slots, types, startedAt, drainRequestedAt, processing, signs } = worker
  const [isConfirming, setIsConfirming] = useState(false)
  const detail = useId()
  const isDraining = drainRequestedAt !== null
  const isGone = signs === 'gone'
  return (
    <li data-worker={name} data-signs={signs} className={isGone ? 'bg-canvas/60' : 'hover:bg-raised/40'}>
      <div className={`${COLUMNS} min-h-13 grid-cols-[minmax(0,1fr)_auto_auto] gap-y-1 py-2`}>
        <div className="col-span-2 min-w-0 md:col-span-1">
          <p className="flex min-w-0 items-center gap-2">
            <span
              aria-hidden="true"
              data-tone={isDraining || signs === 'stale' ? 'pending' : 'completed'}
              className={`size-2 shrink-0 rounded-full ${DOTS[signs]}`}
            />
            <span className={`truncate font-medium ${isGone ? 'text-muted' : ''}`} title={name}>
              {name}
            </span>
            {signs === 'stale' ? (
              <Badge tone="pending">not reporting</Badge>
            ) : (
              isDraining && <Badge tone="pending">draining</Badge>
            )}
          </p>
          <p className="truncate pl-4 text-muted text-xs" title={version ?? 'Version not reported'}>
            {version ?? <Unknown />}
          </p>
        </div>
        <p className="order-3 truncate pl-4 text-muted md:order-none md:pl-0" title={types.join(', ')}>
          {types.length === 0 ? 'any type' : types.join(', ')}
        </p>
        <LastSeen worker={worker} />
        <p className="hidden text-right text-muted md:block">
          <Age isShort at={startedAt} />
        </p>
        <p className="order-4 flex items-center justify-end gap-1 md:order-none">
          {slots !== null && <Meter used={processing / slots} />}
          <Button
            isSmall
            weight="quiet"
            aria-expanded={isOpen}
            aria-controls={detail}
            onClick={onToggle}
            className="md:-mr-2"
          >
            <span className="whitespace-nowrap">
              {formatNumber(processing)} / {slots === null ? <Unknown /> : formatNumber(slots)}
              <span className="sr-only"> slots in use by {name}</span>
            </span>
            <Icon name={isOpen ? 'down' : 'right'} />
          </Button>
        </p>
        <p className="order-5 flex min-w-12 justify-end md:order-none">
          {isDraining ? (
            <Button isSmall needs="admin" onClick={() => onDrain(false)} aria-label={`Undo drain of ${name}`}>
              Undo drain
            </Button>
          ) : (
            !isGone && (
              <Button isSmall needs="admin" onClick={() => setIsConfirming(true)} aria-label={`Drain ${name}`}>
                Drain
              </Button>
            )
          )}
        </p>
      </div>
      <div id={detail} hidden={!isOpen}>
        {isOpen && <WorkerJobs name={name} />}
      </div>
      <Confirm
        title={`Drain ${name}?`}
        description={`${processing === 0 ? 'It claims no more jobs and exits.' : `It finishes its ${formatNumber(processing)} running ${processing === 1 ? 'job' : 'jobs'}, claims no more and exits.`} You can undo this until it has exited.`}
        action="Drain worker"
        weight="strong"
        isOpen={isConfirming}
        onClose={() => setIsConfirming(false)}
        onConfirm={() => onDrain(true)}
      />
    </li>
  )
}

function LastSeen({ worker: { seenAt, signs } }: { worker: Worker }) {
  const age = useNow() - seenAt
  return (
    <p className="text-right text-muted" title={new Date(seenAt).toLocaleString()}>
      <span className={signs === 'gone' ? '' : 'text-ink'}>{shortAge(age)}</span> ago
    </p>
  )
}

/** Slots in use as a bar, beside the numbers. */
function Meter({ used }: { used: number }) {
  return (
    <span
      aria-hidden="true"
      data-tone="processing"
      className="h-1 w-10 overflow-hidden rounded-full bg-line md:hidden lg:block lg:w-12"
    >
      <span className="block h-full rounded-full bg-tone" style={{ width: `${Math.min(1, used) * 100}%` }} />
    </span>
  )
}

/** Older workers report neither slots nor version. */
function Unknown() {
  return (
    <>
      <span aria-hidden="true">–</span>
      <span className="sr-only">unknown</span>
    </>
  )
}

export function SkeletonWorker() {
  return (
    <li aria-hidden="true" className="flex min-h-13 items-center gap-4 px-4 sm:px-5">
      <Skeleton className="h-4 w-2/5" />
      <Skeleton className="ml-auto h-6 w-28" />
    </li>
  )
}
