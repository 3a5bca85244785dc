/** Notices a worker whose handlers all wait for other jobs: jobs that it would have to run itself could never start. */

import type { CurrentHandler } from '../../../shared/handler-waits.ts'
import { SECOND } from '../../../shared/limits.ts'
import type { Clock, Timer } from '../../base/clock.ts'

/** Shorter than most waits for a human, longer than a job takes to be picked up by another worker. */
const WARN_AFTER_MS = 5 * SECOND

export interface WaitingHandlersParts {
  readonly clock: Clock
  readonly concurrency: number
  /** The types that this worker takes. */
  readonly takes: (type: string) => boolean
  readonly warn: (error: Error) => void
}

interface Wait {
  readonly type: string | undefined
}

/** One attempt. */
export interface WaitingHandler extends CurrentHandler {
  /** The handler has returned. */
  end(): void
}

export class WaitingHandlers {
  private readonly parts: WaitingHandlersParts
  /** Of each handler that waits, what it waits for. */
  private readonly waits = new Map<object, Set<Wait>>()
  private timer: Timer | null = null
  private hasWarned = false

  constructor(parts: WaitingHandlersParts) {
    this.parts = parts
  }

  /** For the handler of one attempt. */
  handler(): WaitingHandler {
    const self = {}
    const waits = new Set<Wait>()
    let isOver = false
    const changed = () => {
      if (waits.size === 0 || isOver) this.waits.delete(self)
      else this.waits.set(self, waits)
      this.changed()
    }
    return {
      waitFor: (type) => {
        const wait = { type }
        waits.add(wait)
        changed()
        return () => {
          waits.delete(wait)
          changed()
        }
      },
      end: () => {
        isOver = true
        if (waits.size > 0) changed()
      },
    }
  }

  stop(): void {
    this.timer?.cancel()
    this.timer = null
  }

  private changed(): void {
    const isStuck = !this.hasWarned && this.waits.size >= this.parts.concurrency && this.ownTypes().length > 0
    if (isStuck) this.timer ??= this.parts.clock.after(WARN_AFTER_MS, () => this.warn())
    else this.stop()
  }

  /** Waited for, and taken by this worker. */
  private ownTypes(): readonly string[] {
    const types = new Set([...this.waits.values()].flatMap((waits) => [...waits].map(({ type }) => type)))
    return [...types].flatMap((type) => (type !== undefined && this.parts.takes(type) ? [type] : []))
  }

  private warn(): void {
    this.hasWarned = true
    const { concurrency, warn } = this.parts
    const seconds = WARN_AFTER_MS / SECOND
    warn(
      new Error(
        `For ${seconds} s all ${concurrency} slots of this worker have held handlers that wait for results of other jobs ` +
          `(${this.ownTypes().join(', ')}), which it takes itself. If no other worker takes them, none of these handlers can ` +
          'end: run the awaited types in a worker of their own.',
      ),
    )
  }
}
