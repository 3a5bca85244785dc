/** Procedures of producers. */
import { enqueueInput, enqueueManyInput } from '../../../shared/contracts/produce.ts'
import { requireCommands } from '../caller.ts'
import type { ApiContext } from '../context.ts'
import { produce } from '../trpc.ts'

export const produceProcedures = {
  enqueue: produce.input(enqueueInput).mutation(({ ctx, input }) => {
    requireCommands(ctx.caller, [input])
    return ctx.engine.parsed.enqueue(traced(input, ctx))
  }),
  enqueueMany: produce.input(enqueueManyInput).mutation(({ ctx, input }) => {
    requireCommands(ctx.caller, input.jobs)
    return ctx.engine.parsed.enqueueMany({ jobs: input.jobs.map((job) => traced(job, ctx)) })
  }),
}

/** The `traceparent` of a job takes precedence over that of its request. */
function traced<Job extends { readonly traceparent?: string | undefined }>(job: Job, { traceparent }: ApiContext): Job {
  return job.traceparent !== undefined || traceparent === undefined ? job : { ...job, traceparent }
}
