/** Which types a claim asks for: all that have a handler, or as many as one claim may name, each in its turn. */
import { limits } from '../../shared/limits.ts'
import type { Handler } from './jobs/handler.ts'

/** With types left out, nobody waits long for those that were asked for. */
const MOST_WAIT_MS = 1_000

export class TypeWindow {
  /** May change at any time. */
  private readonly handlers: ReadonlyMap<string, Handler>
  private from = 0

  constructor(handlers: ReadonlyMap<string, Handler>) {
    this.handlers = handlers
  }

  waitMs(asked: number): number {
    return this.handlers.size > limits.claimTypes ? Math.min(asked, MOST_WAIT_MS) : asked
  }

  next(): string[] {
    const all = [...this.handlers.keys()]
    if (all.length <= limits.claimTypes) return all
    const start = this.from % all.length
    this.from = start + limits.claimTypes
    return [...all, ...all].slice(start, start + limits.claimTypes)
  }
}
