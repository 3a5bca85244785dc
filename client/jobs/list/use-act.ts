/** Acts on single jobs: shown at once, and taken back in words when the server refuses. */
import type { JobSummary } from '../../../shared/job.ts'
import { api } from '../../api.ts'
import { formatNumber } from '../../format/number.ts'
import { toasts } from '../../ui/toasts.ts'
import { ACTS, type Act, expected } from './acts.ts'
import { hear, restore } from './live-list.ts'
import type { LiveListHandle } from './use-live-list.ts'

/** Calls that travel in one request. */
const AT_ONCE = 50

export type RunAct = (act: Act, jobs: readonly JobSummary[]) => Promise<void>

export function useAct({ step, refresh }: Pick<LiveListHandle, 'step' | 'refresh'>): RunAct {
  const { client } = api.useUtils()

  async function one(act: Act, job: JobSummary): Promise<unknown> {
    const { id, type, status } = job
    const change = { id, type, from: status, to: expected(act, job) }
    step((list) => hear(list, { changes: [change] }, performance.now()))
    try {
      await client[act].mutate({ id })
      return null
    } catch (error) {
      step((list) => restore(list, job))
      return error
    }
  }

  return async (act, jobs) => {
    const faults: unknown[] = []
    for (let from = 0; from < jobs.length; from += AT_ONCE) {
      const answers = await Promise.all(jobs.slice(from, from + AT_ONCE).map((job) => one(act, job)))
      faults.push(...answers.filter((fault) => fault !== null))
    }
    const changed = jobs.length - faults.length
    if (changed > 0) toasts.say(said(act, jobs, changed))
    if (faults.length > 0) toasts.complain(faults.length === 1 ? faults[0] : problem(act, faults))
    refresh()
  }
}

function said(act: Act, jobs: readonly JobSummary[], changed: number): string {
  if (act === 'cancel' && jobs.length === 1 && jobs[0]?.status === 'processing') return 'The worker is asked to stop'
  return `${formatNumber(changed)} ${changed === 1 ? 'job' : 'jobs'} ${ACTS[act].done}`
}

function problem(act: Act, faults: readonly unknown[]): string {
  const first = faults[0] instanceof Error ? faults[0].message : String(faults[0])
  return `${formatNumber(faults.length)} jobs could not be ${ACTS[act].done}. The first: ${first}`
}
