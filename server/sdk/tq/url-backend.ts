/** URL backend: sends jobs in the background and reports those that could not be stored. */
import { type OpenQueueOptions, openQueue } from '../open-queue.ts'
import { type TqBackend, toQueueStats } from './backend.ts'
import type { Settings } from './options.ts'
import type { QueueStats } from './tq-interface.ts'

/** Further errors are reported only to `onError`. */
const MAX_KEPT_ERRORS = 100

export function openUrlBackend(
  url: string,
  token: string | undefined,
  settings: Settings,
): TqBackend<Promise<QueueStats>> {
  const { clock, onError, onWarning } = settings
  const options: OpenQueueOptions = { clock, onError, onWarning, ...(token === undefined ? {} : { token }) }
  const queue = openQueue(url, options)
  queue.catch(onError)
  const inFlight = new Set<Promise<void>>()
  /** Errors since the last flush. */
  let failures: Error[] = []

  function onFailed(type: string, reason: unknown): void {
    const message = reason instanceof Error ? reason.message : String(reason)
    const error = new Error(`A job of type ${type} may not be stored: ${message}`, { cause: reason })
    if (failures.length < MAX_KEPT_ERRORS) failures.push(error)
    onError(error)
  }

  const allSent = () => Promise.all(inFlight)

  return {
    queue,
    isLocal: false,
    add(input) {
      const stored = queue.then((open) => open.enqueue(input))
      const adding = stored
        .then(
          () => {},
          (reason: unknown) => onFailed(input.type, reason),
        )
        .finally(() => inFlight.delete(adding))
      inFlight.add(adding)
      return stored
    },
    stats: async () => toQueueStats(Object.entries((await (await queue).stats()).byType)),
    async flush() {
      await queue
      await allSent()
      const [first, ...more] = failures
      failures = []
      if (first && more.length > 0) {
        throw new AggregateError(
          [first, ...more],
          `${more.length + 1} jobs may not be stored; the first: ${first.message}`,
        )
      }
      if (first) throw first
    },
    async close() {
      await allSent()
      await queue.then(
        (open) => open.close(),
        // It never opened; `onError` was called.
        () => {},
      )
    },
  }
}
