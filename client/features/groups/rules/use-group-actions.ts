/** Pauses, resumes and continues groups and keys, with a toast for each. */
import type { GroupRules } from '../../../../shared/contracts/groups.ts'
import { api } from '../../../lib/api.ts'
import { toasts } from '../../../lib/toasts.ts'

/** A group, or one of its keys. */
export interface Target {
  readonly name: string
  readonly key: string | null
  /** `paused` without the override of this target. */
  readonly isPausedBelow: boolean
}

export function useGroupActions() {
  const { groups } = api.useUtils()
  const update = api.groups.update.useMutation({
    onError: (error) => void toasts.showError(error),
    onSettled: () => groups.invalidate(),
  })

  function set(target: Target, paused: boolean, onSuccess: () => void): void {
    // An override is removed where the value below it is the wanted one, so that later changes of it apply again.
    const change: { set?: GroupRules; clear?: (keyof GroupRules)[] } =
      target.isPausedBelow === paused ? { clear: ['paused'] } : { set: { paused } }
    update.mutate({ ...addressOf(target), ...change }, { onSuccess })
  }

  function resume(target: Target): void {
    set(target, false, () => toasts.show(`Resumed ${nameOf(target)}.`))
  }

  return {
    isBusy: update.isPending,
    pause(target: Target): void {
      const undo = { label: 'Resume', run: () => resume(target) }
      set(target, true, () => toasts.show(`Paused ${nameOf(target)}. Running jobs continue.`, { undo }))
    },
    resume,
    /** After the failed job that stopped the key. */
    proceed(name: string, key: string): void {
      update.mutate(
        { name, key, resume: true },
        { onSuccess: () => toasts.show(`${key} continues with its next job.`) },
      )
    },
  }
}

function addressOf({ name, key }: Target) {
  return { name, ...(key !== null && { key }) }
}

function nameOf({ name, key }: Target): string {
  return key ?? name
}
