/** The button that retries a group: asks first, and says how many jobs it will take. */
import { useState } from 'react'
import { api } from '../../lib/api.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { jobs } from '../jobs/bulk/bulk.ts'
import { bulks } from '../jobs/bulk/bulks.ts'
import { countText } from '../jobs/bulk/count-matches.ts'
import { useMatchCount } from '../jobs/bulk/use-match-count.ts'
import { ErrorKey } from './ErrorKey.tsx'
import { failedOf, type Grouped, groupName } from './group-filter.ts'

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
  const { counted, error } = useMatchCount(groupName(group), () => failedOf(group))
  const isExact = counted?.state === 'exact'
  const isNothing = isExact && counted.count === 0
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
          {error instanceof Error
            ? error.message
            : counted === null
              ? 'Counting them…'
              : counted.state === 'counting'
                ? `Counting them: ${countText(counted)}…`
                : isNothing
                  ? 'There is nothing to retry: none of its jobs is failed now.'
                  : `${sentence(countText(counted))} ${counted.count === 1 ? 'job matches' : 'jobs match'} now; those that already run again are left alone.`}
        </p>
      </div>
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Not now</Button>
        <Button
          weight="strong"
          disabled={isNothing || counted === null || counted.state === 'counting'}
          onClick={() => {
            void bulks.start(client, 'retry', failedOf(group), isExact ? counted.count : null)
            onClose()
          }}
        >
          {isExact && !isNothing ? `Retry ${jobs(counted.count)}` : 'Retry them'}
        </Button>
      </div>
    </>
  )
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}
