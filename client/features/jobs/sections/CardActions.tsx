/** What can be done to the job of a card. */
import type { JobSummary } from '../../../../shared/job.ts'
import { Button } from '../../../ui/Button.tsx'
import { ACTS, type Act, isPossible } from '../list/actions.ts'

export interface CardActsProps {
  readonly job: JobSummary
  readonly onAct: (act: Act, job: JobSummary) => void
  readonly onDelete: (job: JobSummary) => void
}

export function CardActs({ job, onAct, onDelete }: CardActsProps) {
  const act = usual(job)
  return (
    <>
      {act && (
        <Button isSmall needs="admin" aria-label={`${ACTS[act].name} ${job.type}`} onClick={() => onAct(act, job)}>
          {ACTS[act].name}
        </Button>
      )}
      {isPossible('remove', job) && (
        <Button isSmall needs="admin" weight="quiet" aria-label={`Delete ${job.type}`} onClick={() => onDelete(job)}>
          Delete
        </Button>
      )}
    </>
  )
}

/** The act one comes for; everything else is on the job's own page. */
function usual({ status, cancelRequestedAt }: JobSummary): Act | null {
  if (status === 'scheduled') return 'runNow'
  if (status === 'processing') return cancelRequestedAt === null ? 'cancel' : null
  return isPossible('retry', { status }) ? 'retry' : null
}
