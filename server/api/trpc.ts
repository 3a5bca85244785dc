/** The tRPC instance: plain JSON, our error codes, one scope per procedure. */
import { initTRPC } from '@trpc/server'
import { ERRORS, QueueError } from '../../shared/errors.ts'
import type { Scope } from '../../shared/scopes.ts'
import { requireScope } from './caller.ts'
import type { ApiContext } from './context.ts'
import { isOurFault, toRefusal, toTrpcError } from './errors.ts'
import { requireOwnAnswer, requirePrefix } from './prefix.ts'
import { countRows } from './rows.ts'

/** A silent line is a dead line: the client dials again after this long, and pings come three times as often. */
export const SILENCE_MS = 15_000
export const PING_EVERY_MS = SILENCE_MS / 3

export interface Meta {
  /** Any one of them is enough. */
  readonly scopes: readonly Scope[]
}

const t = initTRPC
  .context<ApiContext>()
  .meta<Meta>()
  .create({
    isDev: false,
    sse: { ping: { enabled: true, intervalMs: PING_EVERY_MS }, client: { reconnectAfterInactivityMs: SILENCE_MS } },
    errorFormatter({ shape, error }) {
      const { code, message, details } = toRefusal(error)
      const { path } = shape.data
      const { trpc, http } = ERRORS[code]
      const data = { code: trpc, httpStatus: http, queueCode: code, details, ...(path === undefined ? {} : { path }) }
      return { message, code: shape.code, data }
    },
  })

export const { router } = t

/** Lets in who has the scope, and gives what goes wrong inside its proper code. */
const guarded = t.procedure.use(async ({ ctx, meta, path, next, getRawInput }) => {
  const scopes = meta?.scopes ?? []
  if (scopes.length === 0) throw new Error(`${path} asks for no scope.`)
  await asTrpcError(() => requireScope(ctx.caller, scopes, path))
  const { typePrefix } = ctx.caller
  if (typePrefix !== null) {
    const input = await getRawInput()
    await asTrpcError(() => requirePrefix(typePrefix, { path, input, engine: ctx.engine }))
  }
  const result = await next()
  if (!result.ok) throw isOurFault(result.error) ? result.error : toTrpcError(toRefusal(result.error))
  if (typePrefix !== null) await asTrpcError(() => requireOwnAnswer(typePrefix, path, result.data))
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
/** Producers may await the jobs whose ids they know. */
export const produceOrRead = guarded.meta({ scopes: ['read', 'produce'] })
/** Workers declare the types they work on. */
export const workOrAdmin = guarded.meta({ scopes: ['work', 'admin'] })
