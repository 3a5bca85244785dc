/** Buttons of a job card: the main action of its status, and Delete. */
import type { JobSummary } from '../../../../shared/job.ts'
import { ACTIONS, type Action, canApply } from '../../../lib/job-actions.ts'
import { Button } from '../../../ui/Button.tsx'

export interface CardActionsProps {
  readonly job: JobSummary
  readonly onAction: (action: Action, job: JobSummary) => void
  readonly onDelete: (job: JobSummary) => void
}

export function CardActions({ job, onAction, onDelete }: CardActionsProps) {
  const action = mainAction(job)
  return (
    <>
      {action && (
        <Button
          isSmall
          needs="admin"
          aria-label={`${ACTIONS[action].name} ${job.type}`}
          onClick={() => onAction(action, job)}
        >
          {ACTIONS[action].name}
        </Button>
      )}
      {canApply('remove', job) && (
        <Button isSmall needs="admin" weight="quiet" aria-label={`Delete ${job.type}`} onClick={() => onDelete(job)}>
          Delete
        </Button>
      )}
    </>
  )
}

/** All other actions are on the job page. */
function mainAction({ status, cancelRequestedAt }: JobSummary): Action | null {
  if (status === 'scheduled') return 'runNow'
  if (status === 'processing') return cancelRequestedAt === null ? 'cancel' : null
  return canApply('retry', { status }) ? 'retry' : null
}
