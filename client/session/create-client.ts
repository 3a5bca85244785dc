/** tRPC client of the dashboard: batched requests, one event stream, both watched for sign-out. */
import { httpBatchLink, httpSubscriptionLink, retryLink, splitLink } from '@trpc/client'
import { addressOf, api } from '../lib/api.ts'
import { WatchedEventSource, watchedFetch } from './watched-fetch.ts'

const MAX_BATCH = 50
/** `retryLink` counts attempts since the page was opened, so this delay can follow any disconnect. */
const MAX_RETRY_MS = 5_000

export function createClient(): ReturnType<typeof api.createClient> {
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

/** With jitter, so that many open pages do not reconnect at the same moment. */
function retryDelayMs(attempt: number): number {
  return Math.min(MAX_RETRY_MS, 500 * 2 ** Math.min(attempt - 1, 10)) * (0.75 + Math.random() / 2)
}
