/** Procedures of whoever looks. */
import { setImmediate } from 'node:timers/promises'
import {
  depthsInput,
  historyInput,
  idInput,
  jobFilter,
  listInput,
  logsInput,
  noInput,
  resultInput,
  statsInput,
} from '../../../shared/contracts/observe.ts'
import { QueueError } from '../../../shared/errors.ts'
import { produceOrRead, read } from '../trpc.ts'

export const observeProcedures = {
  get: read.input(idInput).query(({ ctx, input }) => ctx.engine.get(input)),
  list: read.input(listInput.optional()).query(({ ctx, input }) => ctx.engine.list(input)),
  stats: read.input(statsInput.optional()).query(({ ctx, input }) => ctx.engine.stats(input)),
  history: read.input(historyInput.optional()).query(({ ctx, input }) => ctx.engine.history(input)),
  depths: read.input(depthsInput.optional()).query(({ ctx, input }) => ctx.engine.depths(input)),
  result: produceOrRead.input(resultInput).query(({ ctx, input, signal }) => {
    const waitMs = ctx.mayWait ? input.waitMs : 0
    return ctx.engine.result({ ...input, waitMs }, { signal })
  }),
  explain: read.input(idInput).query(({ ctx, input }) => ctx.engine.explain(input)),
  attempts: read.input(idInput).query(({ ctx, input }) => ctx.engine.attempts(input)),
  logs: read.input(logsInput).query(({ ctx, input }) => ctx.engine.logs(input)),
  facts: read.input(noInput).query(({ ctx }) => ctx.engine.facts()),
  /** Streams: it needs httpBatchStreamLink, and a request of its own. */
  export: read.input(jobFilter.optional()).query(async function* ({ ctx, input }) {
    if (!ctx.isAlone) throw new QueueError('BAD_INPUT', 'An export travels alone; take it out of the batch.')
    for await (const job of ctx.engine.export(input)) {
      ctx.tally.rows += 1
      yield job
      // A fast reader would keep this loop running without a pause, and everybody else waiting.
      await setImmediate()
    }
  }),
}
