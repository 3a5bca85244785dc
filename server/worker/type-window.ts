/** Rotates through the handled job types when there are more than one claim may list. */
import { limits } from '../../shared/limits.ts'
import type { Handler } from './jobs/handler.ts'

/** Maximum wait of a claim that leaves out types: their jobs must not wait long. */
const MAX_WAIT_MS = 1_000

export class TypeWindow {
  /** May change at any time. */
  private readonly handlers: ReadonlyMap<string, Handler>
  private from = 0

  constructor(handlers: ReadonlyMap<string, Handler>) {
    this.handlers = handlers
  }

  waitMs(requestedMs: number): number {
    return this.handlers.size > limits.claimTypes ? Math.min(requestedMs, MAX_WAIT_MS) : requestedMs
  }

  next(): string[] {
    const all = [...this.handlers.keys()]
    if (all.length <= limits.claimTypes) return all
    const start = this.from % all.length
    this.from = start + limits.claimTypes
    return [...all, ...all].slice(start, start + limits.claimTypes)
  }
}
