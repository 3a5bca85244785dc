/** Stands where something could not be read, says why and offers another try. */
import { Button, Panel } from './Panel.tsx'

export interface FailedToLoadProps {
  readonly what: string
  readonly error: unknown
  /** Nothing else is on the page. */
  readonly isPage?: boolean
  readonly onRetry: () => void
}

export function FailedToLoad({ what, error, isPage = false, onRetry }: FailedToLoadProps) {
  return (
    <Panel title={`Could not load ${what}`} isPage={isPage}>
      <p role="alert" className="mb-4 max-w-prose text-muted">
        {error instanceof Error ? error.message : String(error)}
      </p>
      <Button onClick={onRetry}>Try again</Button>
    </Panel>
  )
}
