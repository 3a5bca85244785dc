/** Pauses and resumes a type. The list shows the change at once and undoes it if the call fails. */
import { api } from '../../lib/api.ts'
import { toasts } from '../../lib/toasts.ts'

export function usePause() {
  const { types } = api.useUtils()

  function setShownPaused(name: string, paused: boolean): void {
    types.list.setData(undefined, (rows) =>
      rows?.map((row) => (row.name === name ? { ...row, effective: { ...row.effective, paused } } : row)),
    )
  }

  function handlers(paused: boolean) {
    return {
      onMutate: async ({ name }: { name: string }) => {
        await types.list.cancel()
        setShownPaused(name, paused)
      },
      onError: (error: unknown, { name }: { name: string }) => {
        setShownPaused(name, !paused)
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
