/** The event stream: server-sent events that resume by id. */
import { tracked } from '@trpc/server'
import { eventsInput } from '../../shared/contracts/observe.ts'
import { read } from './trpc.ts'

export const watchProcedures = {
  events: read.input(eventsInput).subscription(async function* ({ ctx, input, signal }) {
    for await (const { id, frame } of ctx.frames.follow(input?.lastEventId ?? null, signal)) yield tracked(id, frame)
  }),
}
