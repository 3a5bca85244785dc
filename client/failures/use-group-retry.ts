/** Retries everything a group's filter matches: the server does it in chunks, and it can be stopped and undone. */
import { useEffect, useEffectEvent, useState } from 'react'
import type { JobFilter } from '../../shared/contracts/observe.ts'
import { api } from '../api.ts'
import { formatNumber } from '../format/number.ts'
import { useFrames } from '../live/use-live.ts'
import { toasts } from '../ui/toasts.ts'

/** Also the time the server keeps the way back open, from the last chunk on. */
const UNDO_MS = 10_000
/** Frames tell sooner; this is for when they do not come. */
const POLL_EVERY_MS = 2_000

export function useGroupRetry() {
  const [id, setId] = useState<string | null>(null)
  const start = api.bulk.start.useMutation({
    onSuccess: (bulk) => setId(bulk.id),
    onError: toasts.complain.bind(toasts),
  })
  const stop = api.bulk.cancel.useMutation({ onError: toasts.complain.bind(toasts) })
  const undo = api.bulk.undo.useMutation({ onError: toasts.complain.bind(toasts) })
  const status = api.bulk.status.useQuery(
    { id: id ?? '' },
    {
      enabled: id !== null,
      refetchInterval: ({ state: { data } }) => (data && isOver(data.state) ? false : POLL_EVERY_MS),
    },
  )
  useFrames(({ bulks, refetch }) => {
    if (id !== null && (refetch || bulks.includes(id))) void status.refetch()
  })

  const bulk = id === null ? null : (status.data ?? start.data ?? null)
  const state = bulk?.state
  const tell = useEffectEvent((ended: string) => {
    if (!bulk) return
    if (ended === 'undone') toasts.say(`Took back ${jobs(bulk.undone)}; what a worker had claimed meanwhile stays.`)
    if (ended !== 'done' && ended !== 'cancelled') return
    const skipped = bulk.skipped > 0 ? `, skipped ${formatNumber(bulk.skipped)} that had changed` : ''
    const text = `${ended === 'done' ? 'Retried' : 'Stopped after'} ${jobs(bulk.changed)}${skipped}.`
    const { id: ending } = bulk
    if (bulk.changed === 0) toasts.say(text)
    else
      toasts.say(text, {
        ms: UNDO_MS,
        undo: { label: 'Undo', run: () => undo.mutate({ id: ending }, { onSuccess: () => void status.refetch() }) },
      })
  })
  useEffect(() => {
    if (state !== undefined && isOver(state)) tell(state)
  }, [state])

  return {
    bulk,
    isRunning: start.isPending || (state !== undefined && !isOver(state)),
    start: (filter: JobFilter) => start.mutate({ action: 'retry', filter, undoMs: UNDO_MS }),
    stop: () => id !== null && stop.mutate({ id }, { onSuccess: () => void status.refetch() }),
  }
}

function isOver(state: string): boolean {
  return state === 'done' || state === 'cancelled' || state === 'undone'
}

function jobs(count: number): string {
  return count === 1 ? '1 job' : `${formatNumber(count)} jobs`
}
