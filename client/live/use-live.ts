/** Context of the event stream: connection state, frames and the newest frame. */
import { createContext, use, useEffect, useEffectEvent, useSyncExternalStore } from 'react'
import type { ConnectionStatus } from './connection/use-connection.ts'
import type { Frame } from './frame.ts'
import { FrameFeed, type ReceivedFrame } from './frame-feed.ts'

export interface Live extends ConnectionStatus {
  readonly feed: FrameFeed
}

export const LiveContext = createContext<Live>({ feed: new FrameFeed(), connection: 'connecting', lostAt: null })

export function useLive(): Live {
  return use(LiveContext)
}

/** Calls `onFrame` for every frame received while mounted. */
export function useFrames(onFrame: (frame: Frame) => void): void {
  const { feed } = useLive()
  const receive = useEffectEvent(onFrame)
  useEffect(() => feed.subscribe((frame) => receive(frame)), [feed])
}

/** The newest frame; renders on every frame. */
export function useLatestFrame(): ReceivedFrame | null {
  const { feed } = useLive()
  return useSyncExternalStore(
    (onChange) => feed.subscribe(onChange),
    () => feed.latest,
  )
}
