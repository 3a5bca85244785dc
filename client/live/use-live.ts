/** What components know of the event stream. */
import { createContext, use, useEffect, useEffectEvent, useSyncExternalStore } from 'react'
import type { Frame } from './frame.ts'
import { FrameFeed, type Heard } from './frame-feed.ts'
import type { LineState } from './use-connection.ts'

export interface Live extends LineState {
  readonly feed: FrameFeed
}

export const LiveContext = createContext<Live>({ feed: new FrameFeed(), connection: 'connecting', lostAt: null })

export function useLive(): Live {
  return use(LiveContext)
}

/** Calls `onFrame` with every frame from now on. */
export function useFrames(onFrame: (frame: Frame) => void): void {
  const { feed } = useLive()
  const hear = useEffectEvent(onFrame)
  useEffect(() => feed.subscribe((frame) => hear(frame)), [feed])
}

/** The newest frame, rendered as soon as it is there. */
export function useLatestFrame(): Heard | null {
  const { feed } = useLive()
  return useSyncExternalStore(
    (onChange) => feed.subscribe(onChange),
    () => feed.latest,
  )
}
