/** Runs, pauses, resumes, changes and deletes schedules, with a toast for each. */
import { useLocation } from 'wouter'
import { api } from '../../lib/api.ts'
import { toasts } from '../../lib/toasts.ts'

export function useScheduleActions() {
  const { schedules } = api.useUtils()
  const [, go] = useLocation()
  const options = {
    onError: (error: unknown) => void toasts.showError(error),
    onSettled: () => schedules.invalidate(),
  }
  const pause = api.schedules.pause.useMutation(options)
  const resume = api.schedules.resume.useMutation(options)
  const run = api.schedules.run.useMutation(options)
  const remove = api.schedules.delete.useMutation(options)

  function proceed(name: string): void {
    resume.mutate({ name }, { onSuccess: () => toasts.show(`Resumed ${name}.`) })
  }

  return {
    isBusy: [pause, resume, run, remove].some(({ isPending }) => isPending),
    resume: proceed,
    pause(name: string, note: string, onDone: () => void): void {
      const undo = { label: 'Resume', run: () => proceed(name) }
      pause.mutate(
        { name, ...(note !== '' && { note }) },
        {
          onSuccess: () => {
            toasts.show(`Paused ${name}. Its running job continues.`, { undo })
            onDone()
          },
        },
      )
    },
    run(name: string): void {
      run.mutate(
        { name },
        {
          onSuccess: ({ outcome, jobId }) => {
            const view = jobId === null ? undefined : { label: 'View job', run: () => go(`/jobs/${jobId}`) }
            const text =
              outcome === 'skipped' ? `Skipped: a job of ${name} is unfinished.` : `Enqueued a job of ${name}.`
            toasts.show(text, view && { undo: view })
          },
        },
      )
    },
    remove(name: string): void {
      remove.mutate(
        { name },
        {
          onSuccess: () => {
            toasts.show(`Deleted ${name}. Its jobs remain.`)
            go('/schedules', { replace: true })
          },
        },
      )
    },
  }
}
