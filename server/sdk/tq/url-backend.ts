/** Jobs in a queue by its address: what is added travels in the background, and what gets lost on the way is told. */
import { type OpenQueueOptions, openQueue } from '../open-queue.ts'
import { type Home, toQueueStats } from './backend.ts'
import type { Settings } from './options.ts'
import type { QueueStats } from './tq-interface.ts'

/** More than these are told to `onError` alone. */
const MOST_KEPT = 100

export function urlHome(url: string, token: string | undefined, settings: Settings): Home<Promise<QueueStats>> {
  const { clock, onError, onWarning } = settings
  const options: OpenQueueOptions = { clock, onError, onWarning, ...(token === undefined ? {} : { token }) }
  const queue = openQueue(url, options)
  queue.catch(onError)
  const underWay = new Set<Promise<void>>()
  /** Since the last flush. */
  let lost: Error[] = []

  function lose(type: string, reason: unknown): void {
    const why = reason instanceof Error ? reason.message : String(reason)
    const error = new Error(`A job of type ${type} may not be stored: ${why}`, { cause: reason })
    if (lost.length < MOST_KEPT) lost.push(error)
    onError(error)
  }

  const arrived = () => Promise.all(underWay)

  return {
    queue,
    isNear: false,
    add(input) {
      const stored = queue.then((open) => open.enqueue(input))
      const adding = stored
        .then(
          () => {},
          (reason: unknown) => lose(input.type, reason),
        )
        .finally(() => underWay.delete(adding))
      underWay.add(adding)
      return stored
    },
    stats: async () => toQueueStats(Object.entries((await (await queue).stats()).byType)),
    async flush() {
      await queue
      await arrived()
      const [first, ...more] = lost
      lost = []
      if (first && more.length > 0) {
        throw new AggregateError(
          [first, ...more],
          `${more.length + 1} jobs may not be stored; the first: ${first.message}`,
        )
      }
      if (first) throw first
    },
    async close() {
      await arrived()
      await queue.then(
        (open) => open.close(),
        // It was never open, and that has been told.
        () => {},
      )
    },
  }
}
