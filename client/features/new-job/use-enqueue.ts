/** Enqueues a job, shows a toast with a link to it, and holds server errors. */
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { EnqueueInput } from '../../../shared/contracts/produce.ts'
import { api } from '../../lib/api.ts'
import { toasts } from '../../lib/toasts.ts'
import type { Sent } from './Enqueued.tsx'
import { jobErrorsOf, NO_ERRORS } from './server-errors.ts'

const SHOWN_MS = 8_000
/** Limit of the list of enqueued jobs. */
const MAX_SENT = 20

export function useEnqueue() {
  const [, go] = useLocation()
  const [errors, setErrors] = useState(NO_ERRORS)
  const [sent, setSent] = useState<readonly Sent[]>([])
  const { mutateAsync, isPending } = api.enqueue.useMutation()

  /** Resolves to whether the server accepted the job. */
  async function enqueue(input: EnqueueInput): Promise<boolean> {
    setErrors(NO_ERRORS)
    try {
      const { id, deduplicated } = await mutateAsync(input)
      setSent((before) =>
        [{ id, type: input.type, deduplicated }, ...before.filter((one) => one.id !== id)].slice(0, MAX_SENT),
      )
      const undo = { label: 'Open job', run: () => go(`/jobs/${id}`) }
      toasts.show(
        deduplicated ? 'A job with this dedupe key already exists. Nothing was enqueued.' : `Enqueued ${input.type}`,
        { undo, ms: SHOWN_MS },
      )
      return true
    } catch (error) {
      setErrors(jobErrorsOf(error))
      return false
    }
  }

  return { enqueue, errors, sent, isBusy: isPending, clearErrors: () => setErrors(NO_ERRORS) }
}
