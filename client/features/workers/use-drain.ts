/** Drains a worker or undoes it: optimistic, rolled back when the server rejects it. */
import { api } from '../../lib/api.ts'
import { toasts } from '../../lib/toasts.ts'

interface DrainRequest {
  readonly worker: string
  readonly drain: boolean
}

export function useDrain() {
  const { workers } = api.useUtils()

  const drain = api.workers.drain.useMutation({
    onMutate: async ({ worker, drain: isDraining = true }) => {
      await workers.list.cancel()
      const before = workers.list.getData()
      const drainRequestedAt = isDraining ? Date.now() : null
      workers.list.setData(undefined, (rows) =>
        rows?.map((row) => (row.name === worker ? { ...row, drainRequestedAt } : row)),
      )
      return { before }
    },
    onError: (error, _request, context) => {
      workers.list.setData(undefined, context?.before)
      toasts.showError(error)
    },
    onSettled: () => workers.list.invalidate(),
  })

  function setDrain(request: DrainRequest): void {
    const { worker } = request
    const undo = { label: 'Undo drain', run: () => setDrain({ worker, drain: false }) }
    const text = request.drain ? `${worker} finishes its jobs and claims no more.` : `${worker} claims jobs again.`
    drain.mutate(request, { onSuccess: () => toasts.show(text, request.drain ? { undo } : {}) })
  }

  return setDrain
}
