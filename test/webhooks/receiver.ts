/** Webhook receiver: a real server that records requests and sends configured responses. */
import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Delivery {
  readonly method: string | undefined
  readonly path: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly body: unknown
}

export interface Receiver {
  readonly url: string
  readonly host: string
  readonly deliveries: readonly Delivery[]
  /** Status codes of the next responses, in this order; then 200. */
  readonly answers: { status: number; headers?: Readonly<Record<string, string>>; body?: string }[]
}

export async function startReceiver(): Promise<Receiver> {
  const deliveries: Delivery[] = []
  const answers: Receiver['answers'] = []
  const server = createServer(async (request, response) => {
    const text = await readAll(request)
    const { method, url: path, headers } = request
    deliveries.push({ method, path, headers, text, body: JSON.parse(text) })
    const { status, headers: more = {}, body = '' } = answers.shift() ?? { status: 200 }
    response.writeHead(status, more).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
  })
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url: `http://${host}`, host, deliveries, answers }
}

/** Signature check as in docs/operations.md. */
export function isSigned({ headers, text }: Delivery, secret: string): boolean {
  const [, t, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['millrace-signature'])) ?? []
  return v1 === createHmac('sha256', secret).update(`${t}.${text}`).digest('hex')
}

async function readAll(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}
