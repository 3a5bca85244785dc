/** Sets the client address of test requests through a header that only the test process reads. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import { onTestFinished } from 'vitest'

const CHANNEL = 'http.server.request.start'
const HEADER = 'x-test-peer'

/** Active until the end of the test. */
export function fakePeers(): (address: string) => Readonly<Record<string, string>> {
  const onRequest = (message: unknown) => {
    const { request } = message as { readonly request: IncomingMessage }
    const value = request.headers[HEADER]
    if (value === undefined) return
    Reflect.deleteProperty(request.headers, HEADER)
    Object.defineProperty(request.socket, 'remoteAddress', { value, configurable: true })
  }
  subscribe(CHANNEL, onRequest)
  onTestFinished(() => void unsubscribe(CHANNEL, onRequest))
  return (address) => ({ [HEADER]: address })
}
