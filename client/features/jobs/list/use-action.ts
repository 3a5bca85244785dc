/** Acts on one job: shown at once, and taken back in words when the server refuses. */
import type { JobSummary } from '../../../../shared/job.ts'
import { api } from '../../../lib/api.ts'
import { toasts } from '../../../ui/toasts.ts'
import { ACTS, type Act, expected } from './actions.ts'
import { hear, restore } from './live-list.ts'
import type { LiveListHandle } from './use-live-list.ts'

export type RunAct = (act: Act, job: JobSummary) => Promise<void>

export function useAct({ step, refresh }: Pick<LiveListHandle, 'step' | 'refresh'>): RunAct {
  const { client } = api.useUtils()
  return async (act, job) => {
    const { id, type, status } = job
    const change = { id, type, from: status, to: expected(act, job) }
    step((list) => hear(list, { changes: [change] }, performance.now()))
    try {
      await client[act].mutate({ id })
      const isAsked = act === 'cancel' && status === 'processing'
      toasts.say(isAsked ? 'The worker is asked to stop' : `1 job ${ACTS[act].done}`)
    } catch (error) {
      step((list) => restore(list, job))
      toasts.complain(error)
    }
    refresh()
  }
}
