/** The queue behind a server's URL, for Node: keep-alive connections of `node:http` instead of `fetch`. */
import { QueueError } from '../../../shared/errors.ts'
import type { Address } from '../../../shared/queue.ts'
import { openRemoteQueue, type RemoteQueue } from '../remote/remote-queue.ts'
import type { Timeouts } from '../remote/server-requests.ts'
import { nodeTransport } from './node-transport.ts'

/** `url` is the address of the server (`http://127.0.0.1:3000`) or of its API, which ends in `/trpc`. */
export function openServerQueue(address: Address, timeouts: Partial<Timeouts> = {}): RemoteQueue {
  if (!URL.canParse(address.url)) {
    throw new QueueError('BAD_INPUT', 'The URL of the server is not valid; it must be like http://host:3000.')
  }
  return openRemoteQueue(address, timeouts, nodeTransport)
}
