/** Operator actions on a job: optimistic, rolled back with a toast when the server rejects them. */
import { useLocation } from 'wouter'
import { isTerminal, type Status } from '../../../shared/status.ts'
import { api } from '../../lib/api.ts'
import { lastJobsAddress } from '../../lib/jobs-address.ts'
import { toasts } from '../../lib/toasts.ts'
import { useNow } from '../../live/use-now.ts'
import type { JobData } from './use-job.ts'

export function canRetry(status: Status): boolean {
  return status === 'failed' || status === 'cancelled' || status === 'retrying'
}

export function canRunNow(status: Status): boolean {
  return status === 'scheduled' || status === 'retrying'
}

export function canCancel({ status, cancelRequestedAt }: Pick<JobData, 'status' | 'cancelRequestedAt'>): boolean {
  return !isTerminal(status) && cancelRequestedAt === null
}

export function canDelete(status: Status): boolean {
  return status !== 'processing'
}

export function useJobActions(job: JobData) {
  const { id } = job
  const utils = api.useUtils()
  const [, go] = useLocation()
  const now = useNow()

  /** Shows `change` until the server has answered. */
  function optimistic(change: Partial<JobData>) {
    return {
      onMutate: async () => {
        await utils.get.cancel({ id })
        const before = utils.get.getData({ id })
        utils.get.setData({ id }, (known) => known && { ...known, ...change })
        return { before }
      },
      onError: (error: unknown, _: unknown, context: { readonly before: JobData | undefined } | undefined) => {
        utils.get.setData({ id }, context?.before)
        toasts.showError(error)
      },
      onSettled: () => {
        for (const part of [utils.get, utils.explain, utils.attempts]) void part.invalidate({ id })
        void utils.audit.list.invalidate()
      },
    }
  }

  const retried = { status: 'pending', error: null, attempts: 0, finishedAt: null, runAt: now } as const
  const cancelled =
    job.status === 'processing' ? { cancelRequestedAt: now } : ({ status: 'cancelled', finishedAt: now } as const)
  const retry = api.retry.useMutation(optimistic(retried))
  const runNow = api.runNow.useMutation(optimistic({ status: 'pending', runAt: now }))
  const cancel = api.cancel.useMutation(optimistic(cancelled))
  const remove = api.remove.useMutation({
    onSuccess: () => {
      toasts.show(`Deleted ${job.type} ${id.slice(-8)}`)
      go(lastJobsAddress())
    },
    onError: (error) => void toasts.showError(error),
  })
  return {
    retry: () => retry.mutate({ id }),
    runNow: () => runNow.mutate({ id }),
    cancel: () => cancel.mutate({ id }),
    remove: () => remove.mutate({ id }),
    isBusy: [retry, runNow, cancel, remove].some(({ isPending }) => isPending),
  }
}
