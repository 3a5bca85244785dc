/** Retry button of a failure group, with a dialog that counts the matching jobs. */
import { useState } from 'react'
import { api } from '../../lib/api.ts'
import { formatJobs } from '../../live/bulk/bulk.ts'
import { bulks } from '../../live/bulk/bulks.ts'
import { formatCount } from '../../live/bulk/count-matches.ts'
import { useMatchCount } from '../../live/bulk/use-match-count.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { ErrorKey } from './ErrorKey.tsx'
import { failedJobsOf, type Grouped, groupKey } from './group-filter.ts'

export function RetryGroup({ group, hasNoFailedJobs }: { group: Grouped; hasNoFailedJobs: boolean }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button
        isSmall
        needs="admin"
        aria-label={`Retry group: ${group.type}`}
        // `disabled` would suppress the tooltip.
        {...(hasNoFailedJobs
          ? { 'aria-disabled': true, title: `No failed ${group.type} jobs` }
          : { onClick: () => setIsOpen(true) })}
      >
        Retry
      </Button>
      <Dialog
        title="Retry this group?"
        description="Its failed jobs become pending again, and their attempt count is reset."
        isOpen={isOpen}
        onClose={() => setIsOpen(false)}
      >
        <RetryForm group={group} onClose={() => setIsOpen(false)} />
      </Dialog>
    </>
  )
}

/** Mounted only while the dialog is open: counting the jobs of a group needs a slow search. */
function RetryForm({ group, onClose }: { group: Grouped; onClose: () => void }) {
  const { client } = api.useUtils()
  const { counted, error } = useMatchCount(groupKey(group), () => failedJobsOf(group))
  const isExact = counted?.state === 'exact'
  const isEmptyGroup = isExact && counted.count === 0
  return (
    <>
      <div className="grid gap-2">
        <p className="wrap-anywhere">
          All failed <strong>{group.type}</strong> jobs whose last error was{' '}
          <q className="font-mono text-xs">
            <ErrorKey errorKey={group.errorKey} />
          </q>
          .
        </p>
        <p role="status" className="text-muted">
          {error instanceof Error
            ? error.message
            : counted === null
              ? 'Counting…'
              : counted.state === 'counting'
                ? `Counting: ${formatCount(counted)}…`
                : isEmptyGroup
                  ? 'Nothing to retry: this group has no failed jobs.'
                  : `${capitalize(formatCount(counted))} ${counted.count === 1 ? 'job matches' : 'jobs match'}. Jobs that wait for an automatic retry are not affected.`}
        </p>
      </div>
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          weight="strong"
          disabled={isEmptyGroup || counted === null || counted.state === 'counting'}
          onClick={() => {
            void bulks.start(client, 'retry', failedJobsOf(group), isExact ? counted.count : null)
            onClose()
          }}
        >
          {isExact && !isEmptyGroup ? `Retry ${formatJobs(counted.count)}` : 'Retry jobs'}
        </Button>
      </div>
    </>
  )
}

function capitalize(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}
