/** Distributes pushed frames to subscribers and keeps the newest one. */
import { createStore } from '../lib/store.ts'
import type { Frame } from './frame.ts'

export interface ReceivedFrame {
  readonly frame: Frame
  /** By this browser's clock. */
  readonly receivedAt: number
}

export class FrameFeed {
  private readonly newest = createStore<ReceivedFrame | null>(null)

  get latest(): ReceivedFrame | null {
    return this.newest.get()
  }

  /** Server clock minus browser clock, accurate to about 100 ms. */
  get clockOffsetMs(): number {
    const { latest } = this
    return latest ? latest.frame.at - latest.receivedAt : 0
  }

  publish(frame: Frame): void {
    this.newest.set({ frame, receivedAt: Date.now() })
  }

  subscribe(listener: (frame: Frame) => void): () => void {
    return this.newest.subscribe(() => {
      const { latest } = this
      if (latest) listener(latest.frame)
    })
  }
}
