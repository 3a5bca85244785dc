/** Typed tRPC hooks for the server that served this page. */
import { isTRPCClientError, type TRPCClientError, type TRPCClientErrorLike } from '@trpc/client'
import { createTRPCReact } from '@trpc/react-query'
import type { AppRouter } from '../../server/api/router.ts'

export const api = createTRPCReact<AppRouter>()

/** Client without hooks, as `api.useUtils()` returns it. */
export type Client = ReturnType<typeof api.useUtils>['client']
export type ApiError = TRPCClientErrorLike<AppRouter>

/** Absolute URL of a path on this server, below its mount path. */
export function addressOf(path: string): string {
  return new URL(path, document.baseURI).href
}

export function isApiError(error: unknown): error is TRPCClientError<AppRouter> {
  return isTRPCClientError<AppRouter>(error)
}

/** A proxy may respond without tRPC's envelope. The HTTP response then has the status. */
export function httpStatusOf(error: unknown): number | null {
  if (!isApiError(error)) return null
  const response = error.meta?.response
  return error.data?.httpStatus ?? (response instanceof Response ? response.status : null)
}

/** No response at all: the server or the network is down. */
export function isUnreachable(error: unknown): boolean {
  return isApiError(error) && httpStatusOf(error) === null
}
