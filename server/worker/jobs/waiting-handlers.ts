/** Detects deadlock: all handlers of a worker wait for jobs that only this worker could run. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { type CurrentHandler, provideCurrentHandler } from '../../../shared/handler-waits.ts'
import { SECOND } from '../../../shared/limits.ts'
import type { Clock, Timer } from '../../base/clock.ts'

/** Longer than another worker needs to claim a job. */
const WARN_AFTER_MS = 5 * SECOND

export interface WaitingHandlersOptions {
  readonly clock: Clock
  readonly concurrency: number
  /** Whether this worker has a handler for the type. */
  readonly takes: (type: string) => boolean
  readonly warn: (error: Error) => void
}

let storage: AsyncLocalStorage<CurrentHandler> | null = null

/**
 * Runs a handler so that code inside it can find its context across awaits. Used only while `isHandlerTrackingOn`:
 * AsyncLocalStorage makes every promise slower.
 */
export function runInHandler<Result>(handler: CurrentHandler, run: () => Result): Result {
  if (!storage) {
    const opened = new AsyncLocalStorage<CurrentHandler>()
    provideCurrentHandler(() => opened.getStore())
    storage = opened
  }
  return storage.run(handler, run)
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
  private readonly options: WaitingHandlersOptions
  /** The waits of each handler that waits. */
  private readonly waits = new Map<object, Set<Wait>>()
  private timer: Timer | null = null
  private hasWarned = false

  constructor(options: WaitingHandlersOptions) {
    this.options = options
  }

  /** Creates the context of one attempt. */
  handler(): WaitingHandler {
    const self = {}
    const waits = new Set<Wait>()
    let isEnded = false
    const changed = () => {
      if (waits.size === 0 || isEnded) this.waits.delete(self)
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
        isEnded = true
        if (waits.size > 0) changed()
      },
    }
  }

  stop(): void {
    this.timer?.cancel()
    this.timer = null
  }

  private changed(): void {
    const isBlocked = !this.hasWarned && this.waits.size >= this.options.concurrency && this.ownTypes().length > 0
    if (isBlocked) this.timer ??= this.options.clock.after(WARN_AFTER_MS, () => this.warn())
    else this.stop()
  }

  /** Types that handlers wait for and that this worker claims. */
  private ownTypes(): readonly string[] {
    const types = new Set([...this.waits.values()].flatMap((waits) => [...waits].map(({ type }) => type)))
    return [...types].flatMap((type) => (type !== undefined && this.options.takes(type) ? [type] : []))
  }

  private warn(): void {
    this.hasWarned = true
    const { concurrency, warn } = this.options
    const seconds = WARN_AFTER_MS / SECOND
    warn(
      new Error(
        `All ${concurrency} slots of this worker have been held for ${seconds} s by handlers that wait for other jobs ` +
          `(${this.ownTypes().join(', ')}) of types that it handles itself. Without another worker for these types this is a ` +
          'deadlock: run the awaited types in a separate worker.',
      ),
    )
  }
}
