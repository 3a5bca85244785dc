/** The typed connection to the server this page came from. */
import {
  httpBatchLink,
  httpSubscriptionLink,
  isTRPCClientError,
  retryLink,
  splitLink,
  type TRPCClientErrorLike,
} from '@trpc/client'
import { createTRPCReact } from '@trpc/react-query'
import type { AppRouter } from '../../server/api/router.ts'
import { WatchedEventSource, watchedFetch } from '../session/watched-fetch.ts'

export const api = createTRPCReact<AppRouter>()

export type ApiClient = ReturnType<typeof api.createClient>
export type ApiError = TRPCClientErrorLike<AppRouter>

/** An address of this server, below whatever path it is mounted at. */
export function addressOf(path: string): string {
  return new URL(path, document.baseURI).href
}

const MAX_BATCH = 50
/** The link counts attempts since the page was opened, so the longest wait is one that may come after any break. */
const MAX_RETRY_MS = 5_000

export function createClient(): ApiClient {
  const url = addressOf('trpc')
  return api.createClient({
    links: [
      splitLink({
        condition: ({ type }) => type === 'subscription',
        true: [
          retryLink({ retry: () => true, retryDelayMs }),
          httpSubscriptionLink({ url, EventSource: WatchedEventSource }),
        ],
        false: httpBatchLink({ url, maxItems: MAX_BATCH, fetch: watchedFetch }),
      }),
    ],
  })
}

/** Spread out, so that many open pages do not come back in one moment. */
function retryDelayMs(attempt: number): number {
  return Math.min(MAX_RETRY_MS, 500 * 2 ** Math.min(attempt - 1, 10)) * (0.75 + Math.random() / 2)
}

/** A guard in front of the API may answer without tRPC's envelope: then the response itself knows. */
export function httpStatusOf(error: unknown): number | null {
  if (!isTRPCClientError<AppRouter>(error)) return null
  const response = error.meta?.response
  return error.data?.httpStatus ?? (response instanceof Response ? response.status : null)
}

/** Nobody answered: the server is away, or the way to it is. */
export function isAway(error: unknown): boolean {
  return isTRPCClientError<AppRouter>(error) && httpStatusOf(error) === null
}
