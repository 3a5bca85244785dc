/** Status label in its colour. */
import type { Status } from '../../../shared/status.ts'

export function StatusPill({ status }: { status: Status }) {
  return (
    <span
      data-tone={status}
      className="inline-flex h-5 items-center gap-1.5 rounded-full bg-tone/12 pr-2 pl-1.5 font-medium text-tone-ink text-xs"
    >
      <StatusDot status={status} />
      {status}
    </span>
  )
}

/** A ring for scheduled, otherwise filled: scheduled and retrying share a colour. */
export function StatusDot({ status }: { status: Status }) {
  return (
    <span
      aria-hidden="true"
      data-tone={status}
      className={`size-1.5 shrink-0 rounded-full ${status === 'scheduled' ? 'ring-[1.5px] ring-tone ring-inset' : 'bg-tone'}`}
    />
  )
}
