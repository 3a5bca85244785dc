/** Error panel for data that could not be loaded: retries by button, or when the connection is back. */
import { useEffect, useEffectEvent, useState } from 'react'
import { isUnreachable } from '../lib/api.ts'
import { ChunkLoadError } from '../lib/browser/chunk-load-error.ts'
import { useLive } from '../live/use-live.ts'
import { Button } from './Button.tsx'
import { Panel } from './Panel.tsx'

/** The connection may return before the last request fails, so retries repeat at this interval. */
const RETRY_AFTER_MS = 1_000

export interface FailedToLoadProps {
  readonly what: string
  readonly error: unknown
  /** The panel is the whole page. */
  readonly isPage?: boolean
  readonly onRetry: () => void
}

export function FailedToLoad({ what, error, isPage = false, onRetry }: FailedToLoadProps) {
  const { connection } = useLive()
  const [wasDown] = useState(connection === 'offline' || connection === 'reconnecting')
  // A chunk missing on a reachable server belongs to another version: automatic reloads could repeat for ever.
  const isWaiting = isUnreachable(error) || (error instanceof ChunkLoadError && wasDown)
  const retry = useEffectEvent(onRetry)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new error means that a retry failed
  useEffect(() => {
    if (!isWaiting || connection !== 'live') return
    const timer = setTimeout(() => retry(), RETRY_AFTER_MS)
    return () => clearTimeout(timer)
  }, [isWaiting, connection, error])
  return (
    <Panel title={`Could not load ${what}`} isPage={isPage}>
      {isWaiting ? (
        <p className="max-w-prose text-muted">The server is unreachable. Loading resumes when it is back.</p>
      ) : (
        <>
          <p role="alert" className="mb-4 max-w-prose text-muted">
            {error instanceof Error ? error.message : String(error)}
          </p>
          <Button onClick={onRetry}>Try again</Button>
        </>
      )}
    </Panel>
  )
}
