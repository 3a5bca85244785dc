/** The tRPC instance: plain JSON, Millrace error codes, required scopes per procedure. */
import { initTRPC } from '@trpc/server'
import { ERRORS, QueueError } from '../../shared/errors.ts'
import type { Scope } from '../../shared/scopes.ts'
import { requireScope } from './caller.ts'
import type { ApiContext } from './context.ts'
import { forCaller, toQueueError, toTrpcError } from './errors.ts'
import { requirePrefix } from './prefix.ts'
import { countRows } from './rows.ts'

/** Clients of the event stream reconnect after this long without a ping; pings are sent three times as often. */
export const SILENCE_MS = 15_000
export const PING_EVERY_MS = SILENCE_MS / 3

export interface Meta {
  /** Any one of these scopes is enough. */
  readonly scopes: readonly Scope[]
}

const t = initTRPC
  .context<ApiContext>()
  .meta<Meta>()
  .create({
    isDev: false,
    sse: { ping: { enabled: true, intervalMs: PING_EVERY_MS }, client: { reconnectAfterInactivityMs: SILENCE_MS } },
    errorFormatter({ shape, error }) {
      const { code, message, details } = toQueueError(error)
      const { path } = shape.data
      const { trpc, http } = ERRORS[code]
      const data = { code: trpc, httpStatus: http, queueCode: code, details, ...(path === undefined ? {} : { path }) }
      return { message, code: shape.code, data }
    },
  })

export const { router } = t

/** Checks the scope before the input is read, and maps errors to their codes. */
export const guarded = t.procedure.use(async ({ ctx, meta, path, next }) => {
  const scopes = meta?.scopes ?? []
  if (scopes.length === 0) throw new Error(`The procedure ${path} declares no scope.`)
  try {
    requireScope(ctx.caller, scopes, path)
  } catch (error) {
    throw asTrpcError(error)
  }
  const result = await next()
  if (!result.ok) throw forCaller(result.error)
  return result
})

/** For procedures that are not verbs; `runVerb` does the same for verbs. */
const prefixed = guarded.use(async ({ ctx, path, next, getRawInput }) => {
  const { typePrefix } = ctx.caller
  if (typePrefix !== null) {
    const input = await getRawInput()
    try {
      await requirePrefix(typePrefix, { path, input, engine: ctx.engine })
    } catch (error) {
      throw asTrpcError(error)
    }
  }
  const result = await next()
  if (result.ok) ctx.tally.rows += countRows(result.data)
  return result
})

function asTrpcError(error: unknown): unknown {
  return error instanceof QueueError ? toTrpcError(error) : error
}

export const read = prefixed.meta({ scopes: ['read'] })
export const admin = prefixed.meta({ scopes: ['admin'] })
