/** Confirmation of a bulk action: the number of affected jobs and what Undo restores. */
import { useState } from 'react'
import { ACTIONS, type Action } from '../../../lib/job-actions.ts'
import { formatJobs } from '../../../live/bulk/bulk.ts'
import { formatCount } from '../../../live/bulk/count-matches.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import type { Confirmation } from './use-bulk-action.ts'

const UNDO = 'You can undo it for 10 seconds after it is done'

export interface ConfirmActionProps {
  /** null: the dialog is closed. */
  readonly confirmation: Confirmation | null
  /** Text of the filter. */
  readonly text: string
  readonly onConfirm: (confirmation: Confirmation) => void
  readonly onClose: () => void
}

export function ConfirmAction({ confirmation, text, onConfirm, onClose }: ConfirmActionProps) {
  const [isAgreed, setIsAgreed] = useState(false)
  const { action = 'remove', counted = { count: 0, state: 'exact' } } = confirmation ?? {}
  const { name } = ACTIONS[action]
  const { state } = counted
  const what =
    state === 'exact'
      ? formatJobs(counted.count)
      : state === 'least'
        ? `${formatCount(counted)} jobs`
        : 'all matching jobs'
  const close = () => {
    setIsAgreed(false)
    onClose()
  }
  return (
    <Dialog
      title={`${name} ${what}?`}
      description={confirmation ? describe(confirmation, text) : ''}
      isOpen={confirmation !== null}
      onClose={close}
    >
      {state === 'counting' && (
        <p role="status" data-testid="counting">
          Counting: {formatJobs(counted.count)} so far…
        </p>
      )}
      {state === 'least' && (
        <label className="flex items-start gap-2">
          <input
            type="checkbox"
            checked={isAgreed}
            onChange={(event) => setIsAgreed(event.target.checked)}
            className="mt-1"
          />
          <span>
            Counting all of them would take too long: there are {formatCount(counted)}. {name} all of them, however many
            there are.
          </span>
        </label>
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={close}>{action === 'cancel' ? 'Go back' : 'Cancel'}</Button>
        <Button
          weight={action === 'remove' || action === 'cancel' ? 'danger' : 'strong'}
          disabled={state === 'counting' || (state === 'least' && !isAgreed)}
          onClick={() => {
            if (confirmation) onConfirm(confirmation)
            close()
          }}
        >
          {name} {what}
        </Button>
      </div>
    </Dialog>
  )
}

function describe({ action, isAll, mayIncludeRunning }: Confirmation, text: string): string {
  const which = !isAll
    ? 'The selected rows'
    : text === ''
      ? 'All jobs (there is no filter)'
      : `All jobs matching “${text}”`
  const except = isAll && mayIncludeRunning ? ', except running jobs' : ''
  const effects: Readonly<Record<Action, string>> = {
    remove: `are deleted with their payloads, results, attempts and logs${except}. Deletion starts in 10 seconds; you can undo it until then.`,
    cancel: `that have not finished are cancelled. ${UNDO}${
      mayIncludeRunning ? ', but running handlers receive a cancel request and are not started again.' : '.'
    }`,
    retry: `that can be retried become pending with a full number of attempts. ${UNDO}, except for jobs that a worker has already claimed.`,
    runNow: `that wait for their time become pending now. ${UNDO}, except for jobs that a worker has already claimed.`,
  }
  return `${which} ${effects[action]}`
}
