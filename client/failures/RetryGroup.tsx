/** The button that retries a group: asks first, and says how many jobs it will take. */
import { useState } from 'react'
import { api } from '../api.ts'
import { formatNumber } from '../format/number.ts'
import { jobs } from '../jobs/bulk/bulk.ts'
import { bulks } from '../jobs/bulk/bulks.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { ErrorKey } from './ErrorKey.tsx'
import { failedOf, type Grouped } from './group-filter.ts'

/** More than this are not counted one by one: the answer of one page is enough to decide. */
const COUNTED = 200

export function RetryGroup({ group, isEmpty }: { group: Grouped; isEmpty: boolean }) {
  const [isAsking, setIsAsking] = useState(false)
  return (
    <>
      <Button
        isSmall
        needs="admin"
        aria-label={`Retry the group: ${group.type}`}
        // Not disabled: then it could not say why.
        {...(isEmpty
          ? { 'aria-disabled': true, title: `No job of ${group.type} is failed now.` }
          : { onClick: () => setIsAsking(true) })}
      >
        Retry
      </Button>
      <Dialog
        title="Retry this group?"
        description="Its failed jobs become pending again, and each gets its full number of attempts again."
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
      >
        <Question group={group} onClose={() => setIsAsking(false)} />
      </Dialog>
    </>
  )
}

/** Only in the dialog: which jobs are of a group takes a search. */
function Question({ group, onClose }: { group: Grouped; onClose: () => void }) {
  const { client } = api.useUtils()
  const page = api.list.useQuery({ ...failedOf(group), limit: COUNTED }, { staleTime: 0, gcTime: 0 })
  const count = page.data?.jobs.length
  const isMore = page.data ? page.data.nextCursor !== null : false
  const isNothing = count === 0 && !isMore
  return (
    <>
      <div className="grid gap-2">
        <p className="wrap-anywhere">
          Every failed job of <strong>{group.type}</strong> whose last error was{' '}
          <q className="font-mono text-xs">
            <ErrorKey errorKey={group.errorKey} />
          </q>
          .
        </p>
        <p role="status" className="text-muted">
          {page.error
            ? page.error.message
            : count === undefined
              ? 'Counting them…'
              : isNothing
                ? 'There is nothing to retry: none of its jobs is failed now.'
                : `${formatNumber(count)}${isMore ? ' or more' : ''} ${count === 1 ? 'job matches' : 'jobs match'} now; those that already run again are left alone.`}
        </p>
      </div>
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Not now</Button>
        <Button
          weight="strong"
          disabled={isNothing}
          onClick={() => {
            void bulks.start(client, 'retry', failedOf(group), isMore ? null : (count ?? null))
            onClose()
          }}
        >
          {count === undefined || isMore || isNothing ? 'Retry them' : `Retry ${jobs(count)}`}
        </Button>
      </div>
    </>
  )
}
