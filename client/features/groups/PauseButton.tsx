/** Pause or resume button of a group or of one key. */
import { Button } from '../../ui/Button.tsx'
import { type Target, useGroupActions } from './rules/use-group-actions.ts'

export interface PauseButtonProps {
  readonly target: Target
  readonly isPaused: boolean
  readonly isSmall?: boolean
}

export function PauseButton({ target, isPaused, isSmall = false }: PauseButtonProps) {
  const { pause, resume, isBusy } = useGroupActions()
  const action = isPaused ? 'Resume' : 'Pause'
  return (
    <Button
      isSmall={isSmall}
      needs="admin"
      disabled={isBusy}
      onClick={() => (isPaused ? resume : pause)(target)}
      aria-label={`${action} ${target.key ?? target.name}`}
      className={isSmall ? 'w-17' : 'w-20'}
    >
      {action}
    </Button>
  )
}
