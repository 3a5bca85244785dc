/** Whether the server still lets this page in: every refusal and every look at the session says so here. */
import { useSyncExternalStore } from 'react'

/** signed-out: it wants to know who is there. shut: it knows, and says no. */
export type Door = 'open' | 'signed-out' | 'shut'

class Doorway {
  private readonly listeners = new Set<() => void>()
  private readonly lookers = new Set<() => void>()
  private state: Door = 'open'
  private asked = 0
  private answered = 0

  /** Numbers a question: what is answered late says nothing of what was asked after it. */
  ask(): number {
    this.asked += 1
    return this.asked
  }

  readonly snapshot = (): Door => this.state

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => void this.listeners.delete(listener)
  }

  /** Who asks the server when something was refused and nobody knows why. */
  lookBy(looker: () => void): () => void {
    this.lookers.add(looker)
    return () => void this.lookers.delete(looker)
  }

  found(state: Door, asked: number): void {
    if (asked < this.answered) return
    this.answered = asked
    if (state === this.state) return
    this.state = state
    for (const listener of this.listeners) listener()
  }

  doubt(): void {
    for (const look of this.lookers) look()
  }

  enter(): void {
    this.found('open', this.ask())
    this.doubt()
  }
}

export const door = new Doorway()

export function useDoor(): Door {
  return useSyncExternalStore(door.subscribe, door.snapshot)
}
