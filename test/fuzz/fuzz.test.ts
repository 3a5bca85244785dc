/** Random requests never cause a server error. FUZZ_REQUESTS sets the number of requests. */
import { Agent, request as httpRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFailed, onTestFinished } from 'vitest'
import { seeded } from '../support/seeded.ts'
import { describeServer } from '../support/server.ts'
import { anyRequest, type Request } from './requests.ts'
import { chanceFrom } from './values.ts'

/** Requests per store; FUZZ_REQUESTS is the total for both stores. */
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 4_000) / 2
const AT_ONCE = 16
/** A new job after this many requests, so that jobs exist although requests delete them. */
const FRESH_EVERY = 50
/** Ids of the newest jobs, for requests that name a job. */
const KEPT_IDS = 7
const TIMEOUT_MS = 30_000 + REQUESTS * 20

interface Result {
  readonly request: Request
  readonly status: number
  readonly body: string
}

describeServer('a server under random requests', (startServer) => {
  it('responds to every request, never with 5xx, and keeps its counts consistent', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const { seed, random } = seeded()
    onTestFailed(() => console.error(`seed ${seed}`))
    const chance = chanceFrom(random)
    const { address, engine, logged } = await startServer({ DURABILITY: 'normal', LOG_LEVEL: 'error' })
    const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
    onTestFinished(() => agent.destroy())
    const ids: string[] = []
    const serverErrors: Result[] = []
    const statuses = new Map<number, number>()
    let sent = 0

    async function sendRequests(): Promise<void> {
      while (sent < REQUESTS) {
        sent += 1
        if (sent % FRESH_EVERY === 1) {
          ids.push((await engine.enqueue({ type: 'fresh', payload: sent })).id)
          if (ids.length > KEPT_IDS) ids.shift()
        }
        const result = await send(agent, address.port, anyRequest(chance, ids))
        statuses.set(result.status, (statuses.get(result.status) ?? 0) + 1)
        if (result.status >= 500) serverErrors.push(result)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, sendRequests))

    expect(serverErrors.slice(0, 3)).toEqual([])
    expect(logged).toEqual([])
    // Each of these must occur, which shows that requests get past parsing. 201 is rare, so it is expected only in long runs.
    const rare = REQUESTS > 10_000 ? [201] : []
    for (const status of [200, 400, 403, 404, 405, 409, 415, ...rare]) expect([...statuses.keys()]).toContain(status)
    const { counts } = await engine.stats()
    const { total } = await engine.list({ limit: 1 })
    expect(Object.values(counts).reduce((sum, n) => sum + n, 0)).toBe(total)
  })
})

function send(agent: Agent, port: number, request: Request): Promise<Result> {
  return new Promise((resolve, reject) => {
    const { method, path, headers, body } = request
    const length = body === null ? {} : { 'content-length': Buffer.byteLength(body) }
    const call = httpRequest(
      { agent, port, host: '127.0.0.1', method, path, headers: { ...headers, ...length } },
      (response) => {
        text(response).then(
          (received) => resolve({ request, status: response.statusCode ?? 0, body: received }),
          reject,
        )
      },
    )
    call.on('error', (error) => reject(new Error(`${method} ${path}: ${error.message}`, { cause: error })))
    call.end(body ?? undefined)
  })
}
