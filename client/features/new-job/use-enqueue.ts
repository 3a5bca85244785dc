/** Enqueues, says so with a way to the job, and keeps what the server refused. */
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { EnqueueInput } from '../../../shared/contracts/produce.ts'
import { api } from '../../lib/api.ts'
import { toasts } from '../../ui/toasts.ts'
import type { Sent } from './Enqueued.tsx'
import { NO_REFUSAL, refusalOf } from './refusal.ts'

const SHOWN_MS = 8_000
/** Older ones are found in the list of jobs. */
const MOST_SENT = 20

export function useEnqueue() {
  const [, go] = useLocation()
  const [refusal, setRefusal] = useState(NO_REFUSAL)
  const [sent, setSent] = useState<readonly Sent[]>([])
  const { mutateAsync, isPending } = api.enqueue.useMutation()

  /** Whether it was taken. */
  async function enqueue(input: EnqueueInput): Promise<boolean> {
    setRefusal(NO_REFUSAL)
    try {
      const { id, deduplicated } = await mutateAsync(input)
      setSent((before) =>
        [{ id, type: input.type, deduplicated }, ...before.filter((one) => one.id !== id)].slice(0, MOST_SENT),
      )
      const undo = { label: 'Open it', run: () => go(`/jobs/${id}`) }
      toasts.say(
        deduplicated ? 'A job with this dedupe key is there already; nothing was added' : `Enqueued ${input.type}`,
        { undo, ms: SHOWN_MS },
      )
      return true
    } catch (error) {
      setRefusal(refusalOf(error))
      return false
    }
  }

  return { enqueue, refusal, sent, isBusy: isPending, forget: () => setRefusal(NO_REFUSAL) }
}
