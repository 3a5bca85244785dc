/** Bulk operations that are under way, on every page: how far they are, with a way to stop them or take them back. */
import { useEffect, useSyncExternalStore } from 'react'
import { api } from '../../../lib/api.ts'
import { countdown } from '../../../lib/format-duration.ts'
import { formatNumber } from '../../../lib/format-number.ts'
import { useFrames } from '../../../live/use-live.ts'
import { useNow } from '../../../live/use-now.ts'
import { Button } from '../../../ui/Button.tsx'
import { ACTS } from '../list/actions.ts'
import { jobs } from './bulk.ts'
import { bulks, type Shown } from './bulks.ts'

export function BulkPanels() {
  const { client } = api.useUtils()
  const shown = useSyncExternalStore(bulks.subscribe, bulks.snapshot)
  // Whoever has to sign in first would only be refused.
  const isIn = api.facts.useQuery().isSuccess
  useEffect(() => {
    if (isIn) bulks.resume(client)
  }, [isIn, client])
  useFrames((frame) => bulks.hear(frame))
  return shown.map((one) => <BulkPanel key={one.bulk.id} {...one} />)
}

/** Comes a moment late: what is over by then is told by its result alone. */
function BulkPanel({ bulk, total }: Shown) {
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
          {isWaiting ? (
            <Waiting {...bulk} total={total} />
          ) : state === 'undoing' ? (
            'Taking it back'
          ) : (
            ACTS[action].doing
          )}
          {!isWaiting && (
            <span className="font-normal text-muted">
              {' '}
              {formatNumber(done)}
              {total !== null && ` of ${formatNumber(Math.max(total, done))}`}
            </span>
          )}
        </p>
        <progress
          aria-label={`${ACTS[action].doing}: how far it is`}
          {...(total !== null && !isWaiting
            ? { value: done, max: Math.max(1, total, done) }
            : isWaiting
              ? { value: 0 }
              : {})}
          className="mt-1.5 block h-1 w-full appearance-none overflow-hidden rounded-full bg-line [&::-moz-progress-bar]:bg-tone [&::-webkit-progress-bar]:bg-line [&::-webkit-progress-value]:bg-tone"
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

function Waiting({ action, createdAt, startsAt, total }: Shown['bulk'] & Pick<Shown, 'total'>) {
  // The clocks of browser and server differ by a little, and more than was promised would look wrong.
  const leftMs = Math.min(startsAt - createdAt, startsAt - useNow())
  const what = total === null ? 'Everything that matches' : jobs(total)
  return `${what} will be ${ACTS[action].done} ${leftMs > 0 ? `in ${countdown(leftMs)}` : 'now'}`
}
