/** Whatever is sent, the server blames the right one: never itself. FUZZ_REQUESTS makes a longer run. */
import { Agent, request as open } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFailed, onTestFinished } from 'vitest'
import { describeServer } from '../support/server.ts'
import { seeded } from '../torture/seeded.ts'
import { anyRequest, type Request } from './requests.ts'
import { chanceFrom } from './values.ts'

/** Half of them on each store. */
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 4_000) / 2
const AT_ONCE = 16
/** Jobs that are there whatever has been deleted. */
const FRESH_EVERY = 50
const TIMEOUT_MS = 30_000 + REQUESTS * 20

interface Answered {
  readonly request: Request
  readonly status: number
  readonly body: string
}

describeServer('the server under nonsense', (startServer) => {
  it('answers every request, none with a fault of its own, and goes on', { timeout: TIMEOUT_MS }, async () => {
    const { seed, random } = seeded()
    onTestFailed(() => console.error(`seed ${seed}`))
    const chance = chanceFrom(random)
    const { address, engine, logged } = await startServer({ DURABILITY: 'normal', LOG_LEVEL: 'error' })
    const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
    onTestFinished(() => agent.destroy())
    const ids: string[] = []
    const faults: Answered[] = []
    const statuses = new Map<number, number>()
    let sent = 0

    async function attack(): Promise<void> {
      while (sent < REQUESTS) {
        sent += 1
        if (sent % FRESH_EVERY === 1) ids[sent % 7] = (await engine.enqueue({ type: 'fresh', payload: sent })).id
        const answered = await ask(agent, address.port, anyRequest(chance, ids))
        statuses.set(answered.status, (statuses.get(answered.status) ?? 0) + 1)
        if (answered.status >= 500) faults.push(answered)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, attack))

    expect(faults.slice(0, 3)).toEqual([])
    expect(logged).toEqual([])
    // Not all of it was refused at the door. A job that REST creates is rare among nonsense.
    const rare = REQUESTS > 10_000 ? [201] : []
    for (const status of [200, 400, 403, 404, 405, 409, 415, ...rare]) expect([...statuses.keys()]).toContain(status)
    const { counts } = await engine.stats()
    const { total } = await engine.list({ limit: 1 })
    expect(Object.values(counts).reduce((sum, n) => sum + n, 0)).toBe(total)
  })
})

function ask(agent: Agent, port: number, request: Request): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const { method, path, headers, body } = request
    const length = body === null ? {} : { 'content-length': Buffer.byteLength(body) }
    const call = open(
      { agent, port, host: '127.0.0.1', method, path, headers: { ...headers, ...length } },
      (response) => {
        text(response).then((answer) => resolve({ request, status: response.statusCode ?? 0, body: answer }), reject)
      },
    )
    call.on('error', (error) => reject(new Error(`${method} ${path}: ${error.message}`, { cause: error })))
    call.end(body ?? undefined)
  })
}
