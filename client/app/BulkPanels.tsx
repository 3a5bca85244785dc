/** Progress panels of active bulk operations, with Undo and Stop; shown on every page. */
import { useEffect } from 'react'
import { api } from '../lib/api.ts'
import { countdown } from '../lib/format-duration.ts'
import { formatNumber } from '../lib/format-number.ts'
import { BULK_TEXTS } from '../lib/job-actions.ts'
import { useStore } from '../lib/store.ts'
import { formatJobs } from '../live/bulk/bulk.ts'
import { type ActiveBulk, bulks } from '../live/bulk/bulks.ts'
import { useFrames } from '../live/use-live.ts'
import { useNow } from '../live/use-now.ts'
import { Button } from '../ui/Button.tsx'
import { Bar } from '../ui/Progress.tsx'

export function BulkPanels() {
  const { client } = api.useUtils()
  const active = useStore(bulks)
  // Before sign-in, resuming would only be rejected.
  const isSignedIn = api.facts.useQuery().isSuccess
  useEffect(() => {
    if (isSignedIn) bulks.resume(client)
  }, [isSignedIn, client])
  useFrames((frame) => bulks.onFrame(frame))
  return active.map((one) => <BulkPanel key={one.bulk.id} {...one} />)
}

/** Appears after a delay, so that fast operations show only their result. */
function BulkPanel({ bulk, total }: ActiveBulk) {
  const { client } = api.useUtils()
  const { id, action, state, matched, undone } = bulk
  const done = state === 'undoing' ? undone : matched
  const isWaiting = state === 'waiting'
  return (
    <section
      aria-label="Bulk operation"
      data-testid="bulk"
      data-state={state}
      data-tone={action === 'remove' ? 'failed' : 'processing'}
      className="pointer-events-auto flex items-center gap-2 rounded-lg bg-surface py-2 pr-2 pl-3 shadow-xl ring-1 ring-line motion-safe:animate-[appear_240ms_ease-out_250ms_backwards]"
    >
      <div className="min-w-0 flex-1">
        <p className="wrap-anywhere font-medium">
          {isWaiting ? <Waiting {...bulk} total={total} /> : state === 'undoing' ? 'Undoing' : BULK_TEXTS[action].doing}
          {!isWaiting && (
            <span className="font-normal text-muted">
              {' '}
              {formatNumber(done)}
              {total !== null && ` of ${formatNumber(Math.max(total, done))}`}
            </span>
          )}
        </p>
        <Bar
          label={`${BULK_TEXTS[action].doing}: progress`}
          max={total === null ? 1 : Math.max(1, total, done)}
          value={isWaiting ? 0 : total === null ? undefined : done}
          className="mt-1.5 block h-1 w-full"
        />
      </div>
      {(isWaiting || (state === 'running' && action !== 'remove')) && (
        <Button isSmall data-undo needs="admin" onClick={() => void bulks.undo(client, id)}>
          Undo
        </Button>
      )}
      {state === 'running' && (
        <Button isSmall needs="admin" onClick={() => void bulks.cancel(client, id)}>
          Stop
        </Button>
      )}
    </section>
  )
}

function Waiting({ action, createdAt, startsAt, total }: ActiveBulk['bulk'] & Pick<ActiveBulk, 'total'>) {
  // Clock differences between browser and server must not show more than the promised delay.
  const leftMs = Math.min(startsAt - createdAt, startsAt - useNow())
  const what = total === null ? 'All matching jobs' : formatJobs(total)
  return `${what} will be ${BULK_TEXTS[action].done} ${leftMs > 0 ? `in ${countdown(leftMs)}` : 'now'}`
}
