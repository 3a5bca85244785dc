/** Builds an IncomingMessage without a network connection. */
import { type IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { Socket } from 'node:net'

interface Facts {
  readonly method?: string
  readonly peer?: string
  readonly local?: string
  readonly headers?: IncomingHttpHeaders
}

export function incoming({ method = 'GET', peer, local = '127.0.0.1', headers = {} }: Facts): IncomingMessage {
  const socket = new Socket()
  Object.defineProperties(socket, { remoteAddress: { value: peer }, localAddress: { value: local } })
  const request = new IncomingMessage(socket)
  request.method = method
  Object.assign(request.headers, headers)
  return request
}
