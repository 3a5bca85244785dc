/** HTTP calls of a server's procedures, by fetch alone: runs in browsers and edge runtimes too. */

import type { JobFilter } from '../../../shared/contracts/observe.ts'
import { encodeInput } from '../../../shared/json/text.ts'
import { limits, MINUTE } from '../../../shared/limits.ts'
import type { Address } from '../../../shared/queue.ts'
import type { ListPage } from '../../../shared/records.ts'
import {
  VERBS,
  type Verb,
  type VerbArguments,
  type VerbResult,
  type VerbRow,
  withoutActor,
} from '../../../shared/verbs/verbs.ts'
import { systemClock } from '../../base/clock.ts'
import { type Envelope, resultIn, toQueueError, UnexpectedResponse } from './server-errors.ts'
import { itemsIn } from './streamed-items.ts'

/** Longer inputs (in characters) are not batched: a batch of them could exceed the server's body limit. */
const LARGE_INPUT = 16_384

/** Default of `totalMs`: enough for 8 MiB on a slow connection. */
const TOTAL_MS = 60_000
/** Default of `headersMs`. */
const HEADERS_MS = 5_000
/** A backup of a large file takes long. The server finishes it even if the caller disconnects. */
const BACKUP_MS = 5 * MINUTE

/** Timeouts of a request; on expiry its calls are rejected with UNREACHABLE. */
export interface Timeouts {
  /** For the whole response. */
  readonly totalMs: number
  /** For the response headers of frequent calls, in addition to the `waitMs` of the call: detects a dead connection early. */
  readonly headersMs: number
}

interface Call extends VerbRow {
  /** The input as JSON, encoded at the time of the call: later changes of the object are not sent. Undefined: no input. */
  readonly json: string | undefined
  /** How long the server may hold the call open. */
  readonly waitMs: number
  readonly signal: AbortSignal | undefined
}

interface BatchedCall extends Call {
  /** A method, because methods are bivariant: each call resolves with the result type of its verb. */
  resolve(result: unknown): void
  reject(error: unknown): void
}

export class ServerCalls {
  private readonly url: string
  private readonly base: string
  private readonly token: string | undefined
  private readonly timeouts: Timeouts
  /** Calls of this event-loop turn. Queries are sent in one request, mutations in another. */
  private batch: BatchedCall[] = []

  constructor({ url, token }: Address, { totalMs = TOTAL_MS, headersMs = HEADERS_MS }: Partial<Timeouts>) {
    this.url = url
    this.base = `${url.replace(/\/+$/, '')}/trpc`
    this.token = token
    this.timeouts = { totalMs, headersMs }
  }

  call<Name extends Verb>(name: Name, ...args: VerbArguments<Name>): Promise<VerbResult<Name>> {
    const [input, context] = args
    return this.send(VERBS[name], withoutActor(name, input), context?.signal)
  }

  /** Rejects with the server's error, or with UNREACHABLE when there is no valid response. */
  async send<Result>(procedure: VerbRow, input: unknown, signal?: AbortSignal | undefined): Promise<Result> {
    const call = { ...procedure, json: encodeInput(input), waitMs: waitMsOf(input), signal }
    try {
      return await (needsOwnRequest(call) ? this.sendAlone(call) : this.sendInBatch(call))
    } catch (error) {
      throw toQueueError(error, this.url)
    }
  }

  /** Streams the response line by line, in the format of tRPC's `httpBatchStreamLink`. */
  async *export(filter: JobFilter | undefined): AsyncGenerator<ListPage['jobs'][number], void> {
    const json = encodeInput(filter)
    try {
      const response = await fetch(`${this.base}/export?batch=1`, {
        method: 'POST',
        headers: { ...this.headers, 'trpc-accept': 'application/jsonl' },
        body: json === undefined ? '{}' : `{"0":${json}}`,
      })
      if (!response.ok || !response.body) resultIn<unknown>(await jsonOf(response))
      else yield* itemsIn(response.body)
    } catch (error) {
      throw toQueueError(error, this.url)
    }
  }

  private get headers(): Record<string, string> {
    const json = { 'content-type': 'application/json' }
    return this.token === undefined ? json : { ...json, authorization: `Bearer ${this.token}` }
  }

  private async sendAlone<Result>(call: Call): Promise<Result> {
    return resultIn(await this.post<Envelope<Result>>(call.path, call.json, [call], call.signal))
  }

  private sendInBatch<Result>(call: Call): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.batch.push({ ...call, resolve, reject })
      if (this.batch.length === 1) setTimeout(() => this.flush())
    })
  }

  private flush(): void {
    const calls = this.batch
    this.batch = []
    // tRPC does not accept queries and mutations in one request.
    for (const type of ['query', 'mutation'] as const) {
      const sameType = calls.filter((call) => call.type === type)
      for (let from = 0; from < sameType.length; from += limits.batchCalls)
        void this.sendBatch(sameType.slice(from, from + limits.batchCalls))
    }
  }

  private async sendBatch(calls: readonly BatchedCall[]): Promise<void> {
    try {
      const inputs = calls.flatMap(({ json }, index) => (json === undefined ? [] : [`"${index}":${json}`]))
      const path = `${calls.map((call) => call.path).join(',')}?batch=1`
      const responses = await this.post<Envelope<unknown> | readonly Envelope<unknown>[]>(
        path,
        `{${inputs.join(',')}}`,
        calls,
        whenAllAbort(calls),
      )
      for (const [index, call] of calls.entries()) {
        try {
          // An error of the whole request is one response for all calls.
          call.resolve(resultIn('length' in responses ? responses[index] : responses))
        } catch (error) {
          call.reject(error)
        }
      }
    } catch (error) {
      for (const call of calls) call.reject(error)
    }
  }

  private async post<Body>(
    path: string,
    body: string | undefined,
    calls: readonly Call[],
    signal: AbortSignal | undefined,
  ): Promise<Body> {
    const { totalMs, headersMs } = this.timeouts
    const waitMs = Math.max(...calls.map((call) => call.waitMs))
    const isFrequent = calls.every((call) => call.isFrequent)
    const deadline = new AbortController()
    const deadlineMs = waitMs + headersMs
    const expire = () => deadline.abort(new Error(`no response within ${deadlineMs} ms`))
    const timer = isFrequent ? systemClock.after(deadlineMs, expire) : null
    const timeoutMs = path === 'backup' ? BACKUP_MS : totalMs + (waitMs > 0 ? limits.waitMs : 0)
    const response = await fetch(`${this.base}/${path}`, {
      method: 'POST',
      headers: this.headers,
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.any([deadline.signal, AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]),
    }).finally(() => timer?.cancel())
    return jsonOf(response)
  }
}

/** A call that waits is not batched, because a batch responds with its slowest call. */
function needsOwnRequest({ path, json = '', waitMs }: Call): boolean {
  return path === 'backup' || waitMs > 0 || json.length > LARGE_INPUT
}

/** `waitMs` of a claim or a result, or of the claim in an exchange; 0 without one. */
function waitMsOf(input: unknown): number {
  if (typeof input !== 'object' || input === null) return 0
  if ('waitMs' in input) return typeof input.waitMs === 'number' && input.waitMs > 0 ? input.waitMs : 0
  return 'claim' in input ? waitMsOf(input.claim) : 0
}

/** Aborts the request when all of its calls are aborted. */
function whenAllAbort(calls: readonly Call[]): AbortSignal | undefined {
  const signals = calls.flatMap(({ signal }) => (signal ? [signal] : []))
  if (signals.length < calls.length) return undefined
  const all = new AbortController()
  const check = () => signals.every((signal) => signal.aborted) && all.abort(signals[0]?.reason)
  for (const signal of signals) signal.addEventListener('abort', check, { signal: all.signal })
  check()
  return all.signal
}

async function jsonOf<Body>(response: Response): Promise<Body> {
  if (response.headers.get('content-type')?.includes('json')) return JSON.parse(await response.text())
  await response.body?.cancel()
  throw new UnexpectedResponse(`sent HTTP ${response.status} without JSON`)
}
