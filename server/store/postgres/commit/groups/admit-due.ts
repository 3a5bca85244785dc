/** Admits a due job to its key. One that has never run follows the rule for a full key. */
import { SKIPPED_ERROR } from '../../../../../shared/job-errors.ts'
import { dropJob, stateOf } from '../../../../../shared/lifecycle.ts'
import { admissionOfNew } from '../../../decisions/group-admission.ts'
import type { LiveRow } from '../../../rows/live-rows.ts'
import type { CommitContext } from '../context.ts'
import { groupOf } from './groups.ts'
import { WhenFull } from './when-full.ts'

/** The job and its key are locked. */
export async function admitDue({ session, live, groups }: CommitContext, job: LiveRow): Promise<void> {
  const { now } = session
  const group = groupOf(job)
  const admit = () => live.apply(job, { next: { ...stateOf(job), status: 'pending' }, attempt: null })
  if (group === null || job.version > 0) {
    admit()
    return
  }
  const row = groups.keyOf(group)
  const admission = admissionOfNew(row.current, groups.rulesOf(row), null, now, job.seq)
  const whenFull = new WhenFull(session, live)
  live.flush()
  if (admission === 'skip' && (await whenFull.newest(group, job.seq))) {
    live.apply(job, dropJob(job, SKIPPED_ERROR, now))
    return
  }
  if (admission === 'replace') await whenFull.replace(group, job.seq)
  if (admission === 'cancel') await whenFull.cancelRunning(row)
  // Blocked, unless there is room.
  admit()
}
