/** The button that retries a group: asks first, says what exactly it will take, then how far it is. */
import { useState } from 'react'
import { api } from '../api.ts'
import { formatNumber } from '../format/number.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { failedOf, type GroupFilter } from './group-filter.ts'
import { useGroupRetry } from './use-group-retry.ts'

/** More than this are not counted one by one: the answer of one page is enough to decide. */
const COUNTED = 200

export function RetryGroup({ type, filter }: { type: string; filter: GroupFilter }) {
  const [isAsking, setIsAsking] = useState(false)
  const { bulk, isRunning, start, stop } = useGroupRetry()
  const wanted = failedOf({ type }, filter.words)
  return (
    <>
      {isRunning ? (
        <Button isSmall weight="quiet" onClick={stop} title="Stop" aria-label={`Stop retrying ${type}`}>
          <span role="status">{bulk?.state === 'undoing' ? 'Undoing' : formatNumber(bulk?.changed ?? 0)}…</span>
        </Button>
      ) : (
        <Button isSmall onClick={() => setIsAsking(true)} aria-label={`Retry the group: ${type}`}>
          Retry
        </Button>
      )}
      <Dialog
        title="Retry this group?"
        description="Its failed jobs become pending again, with all their attempts before them."
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
      >
        <RetryWords type={type} filter={filter} />
        <div className="flex justify-end gap-2">
          <Button onClick={() => setIsAsking(false)}>Not now</Button>
          <Button
            weight="strong"
            onClick={() => {
              start(wanted)
              setIsAsking(false)
            }}
          >
            Retry them
          </Button>
        </div>
      </Dialog>
    </>
  )
}

function RetryWords({ type, filter: { words, alsoCovers } }: { type: string; filter: GroupFilter }) {
  const page = api.list.useQuery({ ...failedOf({ type }, words), limit: COUNTED }, { staleTime: 0 })
  const count = page.data?.jobs.length
  const isMore = page.data ? page.data.nextCursor !== null : false
  return (
    <div className="grid gap-2">
      <p className="wrap-anywhere">
        Every failed job of <strong>{type}</strong>
        {words !== null && (
          <>
            {' '}
            whose error contains <q className="font-mono text-xs">{words}</q>
          </>
        )}
        .
      </p>
      <p role="status" className="text-muted">
        {page.error
          ? page.error.message
          : count === undefined
            ? 'Counting them…'
            : `${formatNumber(count)}${isMore ? ' or more' : ''} ${count === 1 ? 'job matches' : 'jobs match'} now; those that already run again are left alone.`}
      </p>
      {alsoCovers.length > 0 && (
        <p data-tone="pending" className="rounded-md bg-tone/14 px-2 py-1 text-tone-ink">
          That catches {alsoCovers.length === 1 ? 'another group' : `${alsoCovers.length} other groups`} of this type
          too.
        </p>
      )}
    </div>
  )
}
