/** Records the number of headers of each received request, to verify what a proxy forwarded. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import { onTestFinished } from 'vitest'

const CHANNEL = 'http.server.request.start'

/** One entry per request to a server of this process, until the end of the test. */
export function receivedHeaders(): readonly number[] {
  const counts: number[] = []
  const onRequest = (message: unknown) => {
    const { request } = message as { readonly request: IncomingMessage }
    counts.push(request.rawHeaders.length / 2)
  }
  subscribe(CHANNEL, onRequest)
  onTestFinished(() => void unsubscribe(CHANNEL, onRequest))
  return counts
}
