/** The limit over the network, client side: by default the calls of one turn in one request, two requests in flight. */
import { Agent, request } from 'node:http'
import type { RawJob, RawQueue } from './group-commit.ts'
import type { RawOperation } from './raw-server.ts'

export interface Limits {
  readonly callsPerRequest: number
  readonly requestsInFlight: number
}

const COALESCING: Limits = { callsPerRequest: Number.POSITIVE_INFINITY, requestsInFlight: 2 }

interface Call {
  readonly operation: RawOperation
  readonly resolve: (outcome: unknown) => void
  readonly reject: (error: unknown) => void
}

export class CoalescingClient implements RawQueue {
  private readonly url: URL
  private readonly agent = new Agent({ keepAlive: true })
  private calls: Call[] = []
  private inFlight = 0
  private isScheduled = false
  /** Claims that found nothing; one request waits for all of them, beside the others. */
  private idle: ((jobs: readonly RawJob[]) => void)[] = []
  private isWaiting = false

  private readonly limits: Limits

  constructor(url: string, limits = COALESCING) {
    this.url = new URL(url)
    this.limits = limits
  }

  enqueue(type: string, payloads: readonly unknown[]): Promise<readonly string[]> {
    return this.call<readonly string[]>({ kind: 'enqueue', type, payloads })
  }

  async claim(type: string, limit: number): Promise<readonly RawJob[]> {
    const jobs = await this.call<readonly RawJob[]>({ kind: 'claim', type, limit, waits: false })
    if (jobs.length > 0) return jobs
    return new Promise((resolve, reject) => {
      this.idle.push(resolve)
      if (!this.isWaiting) this.wait(type).catch(reject)
    })
  }

  async complete({ id, version }: RawJob): Promise<void> {
    await this.call({ kind: 'complete', job: { id, version } })
  }

  left(type: string): Promise<number> {
    return this.call<number>({ kind: 'left', type })
  }

  close(): void {
    this.agent.destroy()
  }

  private async wait(type: string): Promise<void> {
    this.isWaiting = true
    // All slots that become idle in this turn wait together.
    await new Promise(setImmediate)
    while (this.idle.length > 0) {
      const [jobs] = (await this.post([{ kind: 'claim', type, limit: this.idle.length, waits: true }])) as [RawJob[]]
      for (const job of jobs) this.idle.shift()?.([job])
    }
    this.isWaiting = false
  }

  private call<Outcome>(operation: RawOperation): Promise<Outcome> {
    return new Promise<Outcome>((resolve, reject) => {
      this.calls.push({ operation, resolve: resolve as (outcome: unknown) => void, reject })
      this.schedule()
    })
  }

  private schedule(): void {
    if (this.isScheduled || this.inFlight >= this.limits.requestsInFlight || this.calls.length === 0) return
    this.isScheduled = true
    setImmediate(() => {
      this.isScheduled = false
      void this.send()
      // What exceeds one request.
      this.schedule()
    })
  }

  private async send(): Promise<void> {
    const calls = this.calls.splice(0, this.limits.callsPerRequest)
    this.inFlight += 1
    try {
      const outcomes = await this.post(calls.map(({ operation }) => operation))
      for (const [index, { resolve }] of calls.entries()) resolve(outcomes[index])
    } catch (error) {
      for (const { reject } of calls) reject(error)
    }
    this.inFlight -= 1
    this.schedule()
  }

  private post(operations: readonly RawOperation[]): Promise<readonly unknown[]> {
    const body = JSON.stringify(operations)
    return new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
      const sent = request(this.url, { method: 'POST', agent: this.agent, headers }, async (response) => {
        const chunks: Buffer[] = []
        for await (const chunk of response) chunks.push(chunk)
        resolve(JSON.parse(Buffer.concat(chunks).toString()))
      })
      sent.on('error', reject).end(body)
    })
  }
}
