/** Stands where something could not be read, says why and offers another try, or waits for the server by itself. */
import { useEffect, useEffectEvent, useState } from 'react'
import { isAway } from '../lib/api.ts'
import { LostPart } from '../lib/chunk-load-error.ts'
import { useLive } from '../live/use-live.ts'
import { Button, Panel } from './Panel.tsx'

/** The line may be back before the last try that failed: then there is one more, and one after that. */
const AGAIN_AFTER_MS = 1_000

export interface FailedToLoadProps {
  readonly what: string
  readonly error: unknown
  /** Nothing else is on the page. */
  readonly isPage?: boolean
  readonly onRetry: () => void
}

export function FailedToLoad({ what, error, isPage = false, onRetry }: FailedToLoadProps) {
  const { connection } = useLive()
  const [wasDown] = useState(connection === 'offline' || connection === 'reconnecting')
  // A part that does not come from a server that is there is none of this version: reloading for it could go on for ever.
  const isWaiting = isAway(error) || (error instanceof LostPart && wasDown)
  const retry = useEffectEvent(onRetry)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new error is a try that failed.
  useEffect(() => {
    if (!isWaiting || connection !== 'live') return
    const timer = setTimeout(() => retry(), AGAIN_AFTER_MS)
    return () => clearTimeout(timer)
  }, [isWaiting, connection, error])
  return (
    <Panel title={`Could not load ${what}`} isPage={isPage}>
      {isWaiting ? (
        <p className="max-w-prose text-muted">The server is away; this loads by itself when it is back.</p>
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
