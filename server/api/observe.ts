/** Procedures of whoever looks. */
import {
  historyInput,
  idInput,
  jobFilter,
  listInput,
  logsInput,
  noInput,
  resultInput,
  statsInput,
} from '../../shared/contracts/observe.ts'
import { read } from './trpc.ts'

export const observeProcedures = {
  get: read.input(idInput).query(({ ctx, input }) => ctx.engine.get(input)),
  list: read.input(listInput.optional()).query(({ ctx, input }) => ctx.engine.list(input)),
  stats: read.input(statsInput.optional()).query(({ ctx, input }) => ctx.engine.stats(input)),
  history: read.input(historyInput.optional()).query(({ ctx, input }) => ctx.engine.history(input)),
  result: read.input(resultInput).query(({ ctx, input, signal }) => {
    const waitMs = ctx.mayWait ? input.waitMs : 0
    return ctx.engine.result({ ...input, waitMs }, { signal })
  }),
  explain: read.input(idInput).query(({ ctx, input }) => ctx.engine.explain(input)),
  attempts: read.input(idInput).query(({ ctx, input }) => ctx.engine.attempts(input)),
  logs: read.input(logsInput).query(({ ctx, input }) => ctx.engine.logs(input)),
  facts: read.input(noInput).query(({ ctx }) => ctx.engine.facts()),
  /** Streams: it needs httpBatchStreamLink. */
  export: read.input(jobFilter.optional()).query(async function* ({ ctx, input }) {
    for await (const job of ctx.engine.export(input)) {
      ctx.tally.rows += 1
      yield job
    }
  }),
}
