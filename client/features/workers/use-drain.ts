/** Asks a worker to finish and go, or takes it back: shown at once, put back when the server refuses. */
import { api } from '../../lib/api.ts'
import { toasts } from '../../ui/toasts.ts'

interface Wish {
  readonly worker: string
  readonly drain: boolean
}

export function useDrain() {
  const { workers } = api.useUtils()

  const drain = api.workers.drain.useMutation({
    onMutate: async ({ worker, drain: wanted = true }) => {
      await workers.list.cancel()
      const before = workers.list.getData()
      const drainRequestedAt = wanted ? Date.now() : null
      workers.list.setData(undefined, (rows) =>
        rows?.map((row) => (row.name === worker ? { ...row, drainRequestedAt } : row)),
      )
      return { before }
    },
    onError: (error, _wish, kept) => {
      workers.list.setData(undefined, kept?.before)
      toasts.complain(error)
    },
    onSettled: () => workers.list.invalidate(),
  })

  function ask(wish: Wish): void {
    const { worker } = wish
    const back = { label: 'Take back', run: () => ask({ worker, drain: false }) }
    const words = wish.drain
      ? `${worker} finishes what it has and takes nothing more.`
      : `${worker} is back in service.`
    drain.mutate(wish, { onSuccess: () => toasts.say(words, wish.drain ? { undo: back } : {}) })
  }

  return ask
}
