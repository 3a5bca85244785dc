/** The procedure `events`: server-sent events that resume by id. */
import { type TRPCSubscriptionProcedure, tracked } from '@trpc/server'
import type { z } from 'zod'
import { eventsInput } from '../../../shared/contracts/observe.ts'
import type { EventFrame } from '../event-frames/event-frames.ts'
import { type Meta, read } from '../trpc.ts'

/** Explicit, because the inferred type would refer to an internal module of tRPC. */
type Events = TRPCSubscriptionProcedure<{
  input: z.input<typeof eventsInput>
  output: AsyncIterable<{ id: string; data: EventFrame }, void, unknown>
  meta: Meta
}>

const events: Events = read.input(eventsInput).subscription(async function* ({ ctx, input, signal }) {
  for await (const { id, frame } of ctx.frames.follow(input?.lastEventId ?? null, signal)) yield tracked(id, frame)
})

export const watchProcedures = { events }
