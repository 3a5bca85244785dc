/** Runs an action on one job: optimistic, and reverted with an error toast when the server refuses. */
import type { JobSummary } from '../../../../shared/job.ts'
import { api } from '../../../lib/api.ts'
import { ACTIONS, type Action, expectedStatus } from '../../../lib/job-actions.ts'
import { toasts } from '../../../lib/toasts.ts'
import { applyFrame, restore } from '../../../live/live-list.ts'
import type { LiveListHandle } from '../../../live/use-live-list.ts'

export type RunAction = (action: Action, job: JobSummary) => Promise<void>

export function useAction({ update, refresh }: Pick<LiveListHandle, 'update' | 'refresh'>): RunAction {
  const { client } = api.useUtils()
  return async (action, job) => {
    const { id, type, status } = job
    const change = { id, type, from: status, to: expectedStatus(action, job) }
    update((list) => applyFrame(list, { changes: [change], total: 1 }, performance.now()))
    try {
      await client[action].mutate({ id })
      const isRequestOnly = action === 'cancel' && status === 'processing'
      toasts.show(isRequestOnly ? 'Cancel requested; the worker is stopping the job' : `1 job ${ACTIONS[action].done}`)
    } catch (error) {
      update((list) => restore(list, job))
      toasts.showError(error)
    }
    refresh()
  }
}
