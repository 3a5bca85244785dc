/** The button that retries a group: asks first, and says how many jobs it will take. */
import { useState } from 'react'
import { api } from '../api.ts'
import { formatNumber } from '../format/number.ts'
import { bulks } from '../jobs/bulk/bulks.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { ErrorKey } from './ErrorKey.tsx'
import { failedOf, type Grouped } from './group-filter.ts'

/** More than this are not counted one by one: the answer of one page is enough to decide. */
const COUNTED = 200

export function RetryGroup({ group }: { group: Grouped }) {
  const { client } = api.useUtils()
  const [isAsking, setIsAsking] = useState(false)
  return (
    <>
      <Button isSmall needs="admin" onClick={() => setIsAsking(true)} aria-label={`Retry the group: ${group.type}`}>
        Retry
      </Button>
      <Dialog
        title="Retry this group?"
        description="Its failed jobs become pending again, with all their attempts before them."
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
      >
        <RetryWords group={group} />
        <div className="flex justify-end gap-2">
          <Button onClick={() => setIsAsking(false)}>Not now</Button>
          <Button
            weight="strong"
            onClick={() => {
              void bulks.start(client, 'retry', failedOf(group))
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

function RetryWords({ group }: { group: Grouped }) {
  const page = api.list.useQuery({ ...failedOf(group), limit: COUNTED }, { staleTime: 0 })
  const count = page.data?.jobs.length
  const isMore = page.data ? page.data.nextCursor !== null : false
  return (
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
            : `${formatNumber(count)}${isMore ? ' or more' : ''} ${count === 1 ? 'job matches' : 'jobs match'} now; those that already run again are left alone.`}
      </p>
    </div>
  )
}
