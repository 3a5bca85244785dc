/** Pauses and resumes the queue: optimistic, rolled back when the server rejects it. */
import { api } from '../../../lib/api.ts'
import { toasts } from '../../../lib/toasts.ts'
import { Button } from '../../../ui/Button.tsx'

export function PauseQueue({ isPaused }: { isPaused: boolean }) {
  const { settings } = api.useUtils()
  const show = (paused: boolean) => settings.get.setData(undefined, (known) => known && { ...known, paused })
  const handlers = (paused: boolean) => ({
    onMutate: async () => {
      await settings.get.cancel()
      show(paused)
    },
    onError: (error: unknown) => {
      show(!paused)
      toasts.showError(error)
    },
    onSettled: () => settings.get.invalidate(),
  })
  const resume = api.settings.resume.useMutation(handlers(false))
  const pause = api.settings.pause.useMutation(handlers(true))
  const showPaused = () => toasts.show('Queue paused.', { undo: { label: 'Resume', run: () => resume.mutate() } })
  return (
    <div
      data-tone={isPaused ? 'pending' : 'completed'}
      className="flex flex-wrap items-center justify-between gap-3 rounded-lg bg-surface p-5 ring-1 ring-line"
    >
      <div className="flex min-w-0 items-center gap-3">
        <span aria-hidden="true" className="size-2 shrink-0 rounded-full bg-tone" />
        <div>
          <h2 className="font-semibold">{isPaused ? 'The queue is paused' : 'The queue is running'}</h2>
          <p className="text-muted">
            {isPaused
              ? 'No jobs are being started. New jobs are accepted, and running jobs can finish.'
              : 'Workers start jobs as they become due. When paused, running jobs finish and no more are started.'}
          </p>
        </div>
      </div>
      {isPaused ? (
        <Button weight="strong" needs="admin" onClick={() => resume.mutate()}>
          Resume the queue
        </Button>
      ) : (
        <Button needs="admin" onClick={() => pause.mutate(undefined, { onSuccess: showPaused })}>
          Pause the queue
        </Button>
      )}
    </div>
  )
}
