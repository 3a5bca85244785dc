/** The tRPC instance: plain JSON, Millrace error codes, required scopes per procedure. */
import { initTRPC } from '@trpc/server'
import { ERRORS, QueueError } from '../../shared/errors.ts'
import type { Scope } from '../../shared/scopes.ts'
import { requireScope } from './caller.ts'
import type { ApiContext } from './context.ts'
import { isServerFault, toQueueError, toTrpcError } from './errors.ts'
import { requirePrefix, requirePrefixInResult } from './prefix.ts'
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

/** Checks the scope and the type prefix, and maps errors to their codes. */
const guarded = t.procedure.use(async ({ ctx, meta, path, next, getRawInput }) => {
  const scopes = meta?.scopes ?? []
  if (scopes.length === 0) throw new Error(`The procedure ${path} declares no scope.`)
  await asTrpcError(() => requireScope(ctx.caller, scopes, path))
  const { typePrefix } = ctx.caller
  if (typePrefix !== null) {
    const input = await getRawInput()
    await asTrpcError(() => requirePrefix(typePrefix, { path, input, engine: ctx.engine }))
  }
  const result = await next()
  if (!result.ok) throw isServerFault(result.error) ? result.error : toTrpcError(toQueueError(result.error))
  if (typePrefix !== null) await asTrpcError(() => requirePrefixInResult(typePrefix, path, result.data))
  ctx.tally.rows += countRows(result.data)
  return result
})

async function asTrpcError(check: () => void | Promise<void>): Promise<void> {
  try {
    await check()
  } catch (error) {
    throw error instanceof QueueError ? toTrpcError(error) : error
  }
}

export const produce = guarded.meta({ scopes: ['produce'] })
export const work = guarded.meta({ scopes: ['work'] })
export const read = guarded.meta({ scopes: ['read'] })
export const admin = guarded.meta({ scopes: ['admin'] })
/** Producers may wait for jobs whose ids they know. */
export const produceOrRead = guarded.meta({ scopes: ['read', 'produce'] })
/** Workers declare the types they handle. */
export const workOrAdmin = guarded.meta({ scopes: ['work', 'admin'] })
