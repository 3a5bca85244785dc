/** Procedures that only read. */
import { setImmediate } from 'node:timers/promises'
import { jobFilter } from '../../../shared/contracts/observe.ts'
import { QueueError } from '../../../shared/errors.ts'
import { read } from '../trpc.ts'
import { query } from './verb.ts'

export const observeProcedures = {
  get: query('get'),
  list: query('list'),
  stats: query('stats'),
  history: query('history'),
  depths: query('depths'),
  result: query('result'),
  explain: query('explain'),
  attempts: query('attempts'),
  logs: query('logs'),
  facts: query('facts'),
  /** Streams its rows: requires httpBatchStreamLink and must be the only call of its request. */
  export: read.input(jobFilter.optional()).query(async function* ({ ctx, input }) {
    if (!ctx.isAlone) throw new QueueError('BAD_INPUT', 'An export cannot be batched; send it in a separate request.')
    for await (const job of ctx.engine.parsed.export(input ?? {})) {
      ctx.tally.rows += 1
      yield job
      // Yields to the event loop: a fast reader would otherwise block every other request.
      await setImmediate()
    }
  }),
}
