/** Pauses and resumes a type: optimistic, rolled back when the server rejects it. */
import { api } from '../../lib/api.ts'
import { toasts } from '../../lib/toasts.ts'

export function usePause() {
  const { types } = api.useUtils()

  function show(name: string, paused: boolean): void {
    types.list.setData(undefined, (rows) =>
      rows?.map((row) => (row.name === name ? { ...row, effective: { ...row.effective, paused } } : row)),
    )
  }

  function handlers(paused: boolean) {
    return {
      onMutate: async ({ name }: { name: string }) => {
        await types.list.cancel()
        show(name, paused)
      },
      onError: (error: unknown, { name }: { name: string }) => {
        show(name, !paused)
        toasts.showError(error)
      },
      onSettled: () => types.list.invalidate(),
    }
  }

  const pause = api.types.pause.useMutation(handlers(true))
  const resume = api.types.resume.useMutation(handlers(false))
  return {
    pause: (name: string) =>
      pause.mutate(
        { name },
        {
          onSuccess: () =>
            toasts.show(`Paused ${name}. Running jobs continue.`, {
              undo: { label: 'Resume', run: () => resume.mutate({ name }) },
            }),
        },
      ),
    resume: (name: string) => resume.mutate({ name }, { onSuccess: () => toasts.show(`Resumed ${name}.`) }),
  }
}
