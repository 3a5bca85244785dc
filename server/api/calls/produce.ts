/** Calls of producers. */
import { enqueueInput, enqueueManyInput } from '../../../shared/contracts/produce.ts'
import { requireCommands } from '../caller.ts'
import type { ApiContext } from '../context.ts'
import { produce } from './call.ts'

export const produceCalls = {
  enqueue: produce(enqueueInput, (ctx, job) => {
    requireCommands(ctx.caller, [job])
    return ctx.engine.parsed.enqueue(traced(job, ctx))
  }),
  enqueueMany: produce(enqueueManyInput, (ctx, { jobs }) => {
    requireCommands(ctx.caller, jobs)
    return ctx.engine.parsed.enqueueMany({ jobs: jobs.map((job) => traced(job, ctx)) })
  }),
}

/** The `traceparent` of a job takes precedence over that of its request. */
function traced<Job extends { readonly traceparent?: string | undefined }>(job: Job, { traceparent }: ApiContext): Job {
  return job.traceparent !== undefined || traceparent === undefined ? job : { ...job, traceparent }
}
