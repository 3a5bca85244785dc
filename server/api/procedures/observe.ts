/** Procedures that only read. */
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
import { PARSERS } from '../../../shared/verbs/verb-inputs.ts'
import { produceOrRead, read } from '../trpc.ts'

export const observeProcedures = {
  get: read.input(idInput).query(({ ctx, input }) => ctx.engine.parsed.get(input)),
  list: read.input(listInput.optional()).query(({ ctx, input }) => ctx.engine.parsed.list(input ?? PARSERS.list())),
  stats: read.input(statsInput.optional()).query(({ ctx, input }) => ctx.engine.parsed.stats(input ?? PARSERS.stats())),
  history: read
    .input(historyInput.optional())
    .query(({ ctx, input }) => ctx.engine.parsed.history(input ?? PARSERS.history())),
  depths: read
    .input(depthsInput.optional())
    .query(({ ctx, input }) => ctx.engine.parsed.depths(input ?? PARSERS.depths())),
  result: produceOrRead.input(resultInput).query(({ ctx, input, signal }) => {
    const waitMs = ctx.mayWait ? input.waitMs : 0
    return ctx.engine.parsed.result({ ...input, waitMs }, { signal })
  }),
  explain: read.input(idInput).query(({ ctx, input }) => ctx.engine.parsed.explain(input)),
  attempts: read.input(idInput).query(({ ctx, input }) => ctx.engine.parsed.attempts(input)),
  logs: read.input(logsInput).query(({ ctx, input }) => ctx.engine.parsed.logs(input)),
  facts: read.input(noInput).query(({ ctx }) => ctx.engine.parsed.facts()),
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
