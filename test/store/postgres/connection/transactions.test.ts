/** Commits on PostgreSQL run in Drizzle transactions that cost no extra round trip. */
import { connect, createServer, type Socket } from 'node:net'
import { NodePgSession } from 'drizzle-orm/node-postgres'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { openEngine } from '../../../../server/compose/open-engine.ts'
import { testDatabase } from '../../../support/postgres/postgres.ts'

afterEach(() => void vi.restoreAllMocks())

test('a claim runs inside a Drizzle transaction', async () => {
  const transaction = vi.spyOn(NodePgSession.prototype, 'transaction')
  const engine = await openEngine({ url: await testDatabase(), services: false, onWarning: () => {} })
  onTestFinished(() => engine.close())
  await engine.enqueue({ type: 'mail', payload: 1 })
  const before = transaction.mock.calls.length
  expect(await engine.claim({ worker: 'w', types: ['mail'] })).toHaveLength(1)
  expect(transaction.mock.calls.length).toBe(before + 1)
})

test('the first statements of a commit are sent with BEGIN, without waiting for its response', async () => {
  const line = await heldAtBegin(await testDatabase())
  const engine = await openEngine({ url: line.url, services: false, onWarning: () => {} })
  onTestFinished(() => engine.close())
  await engine.enqueue({ type: 'mail', payload: 1 })
  expect(await engine.claim({ worker: 'w', types: ['mail'] })).toHaveLength(1)
  expect(line.held()).toBeGreaterThan(1)
})

/** A proxy that holds back the response to BEGIN until the client has sent a named statement. */
async function heldAtBegin(url: string) {
  const target = new URL(url)
  const sockets = new Set<Socket>()
  let held = 0
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    const back: Buffer[] = []
    let isHolding = false
    client.on('data', (chunk) => {
      const begin = chunk.indexOf('BEGIN;')
      if (begin >= 0) {
        isHolding = true
        held += 1
      }
      // Parse or Bind: named statements use the extended protocol.
      if (isHolding && /[PB]\0[\s\S]{3}/.test(chunk.toString('latin1', begin + 6))) {
        isHolding = false
        for (const answer of back.splice(0)) client.write(answer)
      }
      upstream.write(chunk)
    })
    upstream.on('data', (chunk) => void (isHolding ? back.push(chunk) : client.write(chunk)))
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one)
      one.on('error', () => other.destroy()).on('close', () => other.destroy())
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('there is no port')
  const near = new URL(url)
  near.hostname = '127.0.0.1'
  near.port = String(address.port)
  return { url: near.href, held: () => held }
}
