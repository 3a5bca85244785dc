/** What an operator can do to a job: shown at once, taken back in words when the server refuses. */
import { useLocation } from 'wouter'
import { isTerminal, type Status } from '../../../shared/status.ts'
import { api } from '../../lib/api.ts'
import { lastJobsAddress } from '../../lib/jobs-address.ts'
import { useNow } from '../../live/use-now.ts'
import { toasts } from '../../ui/toasts.ts'
import type { JobData } from './use-job.ts'

export function mayRetry(status: Status): boolean {
  return status === 'failed' || status === 'cancelled' || status === 'retrying'
}

export function mayRunNow(status: Status): boolean {
  return status === 'scheduled' || status === 'retrying'
}

export function mayCancel({ status, cancelRequestedAt }: Pick<JobData, 'status' | 'cancelRequestedAt'>): boolean {
  return !isTerminal(status) && cancelRequestedAt === null
}

export function mayRemove(status: Status): boolean {
  return status !== 'processing'
}

export function useActs(job: JobData) {
  const { id } = job
  const utils = api.useUtils()
  const [, go] = useLocation()
  const now = useNow()

  /** The guess stands until the server has answered. */
  function promptly(guess: Partial<JobData>) {
    return {
      onMutate: async () => {
        await utils.get.cancel({ id })
        const before = utils.get.getData({ id })
        utils.get.setData({ id }, (known) => known && { ...known, ...guess })
        return { before }
      },
      onError: (error: unknown, _: unknown, context: { readonly before: JobData | undefined } | undefined) => {
        utils.get.setData({ id }, context?.before)
        toasts.complain(error)
      },
      onSettled: () => {
        for (const part of [utils.get, utils.explain, utils.attempts]) void part.invalidate({ id })
        void utils.audit.list.invalidate()
      },
    }
  }

  const again = { status: 'pending', error: null, attempts: 0, finishedAt: null, runAt: now } as const
  const stopped =
    job.status === 'processing' ? { cancelRequestedAt: now } : ({ status: 'cancelled', finishedAt: now } as const)
  const retry = api.retry.useMutation(promptly(again))
  const runNow = api.runNow.useMutation(promptly({ status: 'pending', runAt: now }))
  const cancel = api.cancel.useMutation(promptly(stopped))
  const remove = api.remove.useMutation({
    onSuccess: () => {
      toasts.say(`Deleted ${job.type} ${id.slice(-8)}`)
      go(lastJobsAddress())
    },
    onError: (error) => void toasts.complain(error),
  })
  return {
    retry: () => retry.mutate({ id }),
    runNow: () => runNow.mutate({ id }),
    cancel: () => cancel.mutate({ id }),
    remove: () => remove.mutate({ id }),
    isBusy: [retry, runNow, cancel, remove].some(({ isPending }) => isPending),
  }
}
