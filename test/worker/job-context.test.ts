/** The argument of a handler: copies of it, and when its signal is created. */
import { expect, it } from 'vitest'
import type { JobContext } from '../../server/worker/jobs/handler.ts'
import { LazyContext, withPayload } from '../../server/worker/jobs/job-context.ts'

function contextOf(payload: unknown) {
  const read = { signals: 0 }
  const { signal } = new AbortController()
  const source = {
    get signal() {
      read.signals += 1
      return signal
    },
  }
  const fields = {
    ...{ id: 'a', type: 'mail', payload, version: 2, attempt: 1, maxAttempts: 3, createdAt: 4, traceparent: null },
    tick: { schedule: 'nightly', at: 5, previous: 6, missed: 7, backfill: true },
    progress: () => {},
    log: () => {},
  }
  return { context: new LazyContext(fields, payload, source), fields, signal, read }
}

it('a copy of a context has all of its properties', () => {
  const { context, fields, signal, read } = contextOf({ to: 'a' })
  expect(Object.keys(context).sort()).toEqual([...Object.keys(fields), 'signal'].sort())
  expect(read.signals).toBe(0)
  expect({ ...context }).toEqual({ ...fields, signal })
  expect({ ...withPayload(context, 7) }).toEqual({ ...fields, payload: 7, signal })
})

it('a context with another payload does not create the signal', () => {
  const { context, signal, read } = contextOf(1)
  const other: JobContext<number> = withPayload(context, 2)
  const { payload, id } = other
  expect([payload, id, read.signals]).toEqual([2, 'a', 0])
  expect(other.signal).toBe(signal)
})
