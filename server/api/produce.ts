/** Procedures of producers. */
import { enqueueInput, enqueueManyInput } from '../../shared/contracts/produce.ts'
import { produce } from './trpc.ts'

export const produceProcedures = {
  enqueue: produce.input(enqueueInput).mutation(({ ctx, input }) => ctx.engine.enqueue(input)),
  enqueueMany: produce.input(enqueueManyInput).mutation(({ ctx, input }) => ctx.engine.enqueueMany(input)),
}
