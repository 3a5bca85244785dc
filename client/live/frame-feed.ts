/** Hands every pushed frame to whoever listens, and remembers the newest one. */
import type { Frame } from './frame.ts'

export interface Heard {
  readonly frame: Frame
  /** By this browser's clock. */
  readonly heardAt: number
}

export class FrameFeed {
  private readonly listeners = new Set<(frame: Frame) => void>()
  private newest: Heard | null = null

  get latest(): Heard | null {
    return this.newest
  }

  /** What to add to this browser's clock to get the server's, a tenth of a second more or less. */
  get clockOffsetMs(): number {
    return this.newest ? this.newest.frame.at - this.newest.heardAt : 0
  }

  publish(frame: Frame): void {
    this.newest = { frame, heardAt: Date.now() }
    for (const listener of this.listeners) listener(frame)
  }

  subscribe(listener: (frame: Frame) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }
}
