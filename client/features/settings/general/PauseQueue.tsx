/** The switch that stops all claims: shown at once, put back when the server refuses. */
import { api } from '../../../lib/api.ts'
import { Button } from '../../../ui/Button.tsx'
import { toasts } from '../../../ui/toasts.ts'

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
      toasts.complain(error)
    },
    onSettled: () => settings.get.invalidate(),
  })
  const resume = api.settings.resume.useMutation(handlers(false))
  const pause = api.settings.pause.useMutation(handlers(true))
  const say = () => toasts.say('Paused the queue.', { undo: { label: 'Resume', run: () => resume.mutate() } })
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
              ? 'Nobody gets a job. New ones are still taken in, and what runs may finish.'
              : 'Workers get jobs as they are due. Pausing lets what runs finish, and hands out nothing more.'}
          </p>
        </div>
      </div>
      {isPaused ? (
        <Button weight="strong" needs="admin" onClick={() => resume.mutate()}>
          Resume the queue
        </Button>
      ) : (
        <Button needs="admin" onClick={() => pause.mutate(undefined, { onSuccess: say })}>
          Pause the queue
        </Button>
      )}
    </div>
  )
}
