/** Shared tests of reverse proxies: ALLOW_IPS applies whatever the number of headers. */
import { expect, it } from 'vitest'
import { connectTo, MANY_HEADERS, postRaw } from '../http/support/many-headers.ts'
import type { StartServer } from '../support/server.ts'
import { receivedHeaders } from './received-headers.ts'

const PATH = '/queue/trpc/enqueue'
const hostOf = (url: string) => [`Host: ${new URL(url).host}`]

/** `startProxy` takes the server's port and returns the proxy's address. */
export function provesAllowIps(startServer: StartServer, startProxy: (upstream: number) => Promise<string>): void {
  it(`rejects a client outside ALLOW_IPS that sends ${MANY_HEADERS} headers`, async () => {
    const server = await startServer({ BASE_PATH: '/queue', TRUSTED_PROXIES: '127.0.0.1', ALLOW_IPS: '10.0.0.0/8' })
    const proxy = await startProxy(server.address.port)
    const received = receivedHeaders()
    const send = (many: number) => postRaw(connectTo(proxy), { path: PATH, first: hostOf(proxy), many })
    expect([(await send(0)).status, (await send(MANY_HEADERS)).status]).toEqual([403, 403])
    expect(received.at(-1)).toBeGreaterThan(MANY_HEADERS)
    expect((await server.engine.counts()).pending).toBe(0)
  })

  it(`serves a client inside ALLOW_IPS that sends ${MANY_HEADERS} headers`, async () => {
    const server = await startServer({ BASE_PATH: '/queue', TRUSTED_PROXIES: '127.0.0.1', ALLOW_IPS: '127.0.0.0/8' })
    const proxy = await startProxy(server.address.port)
    const { status } = await postRaw(connectTo(proxy), { path: PATH, first: hostOf(proxy) })
    expect([status, (await server.engine.counts()).pending]).toEqual([200, 1])
  })
}
