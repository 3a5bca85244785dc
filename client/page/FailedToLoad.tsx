/** Stands where something could not be read, says why and offers another try. */
import { Button, Panel } from './Panel.tsx'

export function FailedToLoad({ what, error, onRetry }: { what: string; error: unknown; onRetry: () => void }) {
  return (
    <Panel title={`Could not load ${what}`}>
      <p role="alert" className="mb-4 max-w-prose text-muted">
        {error instanceof Error ? error.message : String(error)}
      </p>
      <Button onClick={onRetry}>Try again</Button>
    </Panel>
  )
}
