/** Calls of a server's procedures, by fetch alone: it runs in browsers and edge runtimes too. Calls of one turn share a request. */

import { encodeInput } from '../../../shared/json/text.ts'
import { limits, MINUTE } from '../../../shared/limits.ts'
import type { RouterInputs, RouterOutputs } from '../../api/router.ts'
import { systemClock } from '../../base/clock.ts'
import type { Address } from '../../queue/queue.ts'
import { answerIn, type Envelope, NotMillrace, toQueueError } from './server-errors.ts'
import { itemsIn } from './streamed-items.ts'

/** Larger inputs travel alone: a batch of them would be refused as too large, all of it. */
const LARGE = 16_384

/** On a connection that has gone silent no response ever comes: the call is rejected then. Enough for 8 MiB on a slow line. */
const PATIENCE_MS = 60_000
/**
 * Calls of workers are small: their response begins this long after the time they asked to wait, or the connection is given
 * up and the call repeated on a new one.
 */
const RESPONSE_MS = 5_000
/** A large file takes its time; the server makes its backup, whether or not the caller waits for the response. */
const BACKUP_MS = 5 * MINUTE

/** Small calls, of which many workers make many: a connection that has gone silent is noticed by them. */
const OF_WORKERS: ReadonlySet<string> = new Set([
  ...['claim', 'exchange', 'heartbeat', 'progress', 'log', 'result', 'types.declare', 'cancellations'],
])

/** The procedures that are queries. A request of tRPC holds queries or mutations, never both. */
export const QUERIES: ReadonlySet<string> = new Set<Path>([
  ...(['get', 'list', 'stats', 'history', 'depths', 'result', 'explain', 'attempts', 'logs', 'facts'] as const),
  ...([
    'holders',
    'cancellations',
    'types.list',
    'types.get',
    'workers.list',
    'settings.get',
    'failures.groups',
  ] as const),
  ...(['bulk.count', 'bulk.status', 'audit.list', 'tokens.list'] as const),
])

export interface Patience {
  /** For the whole response. */
  readonly patienceMs: number
  /** For the beginning of the response to a worker's call. */
  readonly responseMs: number
}

interface CallOptions {
  readonly signal?: AbortSignal | undefined
}

interface Call extends CallOptions {
  readonly path: string
  /** JSON as of the call: an object that is changed right after it is sent as it was. Undefined: no input. */
  readonly json: string | undefined
  /** How long the server may keep the call until there is something to answer. */
  readonly waitMs: number
}

interface BatchedCall extends Call {
  /** A method, so that it may take an answer of one type only: that of its own call. */
  resolve(answer: unknown): void
  reject(error: unknown): void
}

type Group = 'types' | 'workers' | 'settings' | 'failures' | 'bulk' | 'audit' | 'tokens'
/** The names of procedures, those in groups with a dot: 'enqueue', 'types.list'. */
type Path =
  | Exclude<keyof RouterInputs, Group | 'events' | 'export'>
  | { [Name in Group]: `${Name}.${keyof RouterInputs[Name] & string}` }[Group]
type At<Tree, Name extends string> = Name extends `${infer Outer}.${infer Inner}`
  ? Outer extends keyof Tree
    ? At<Tree[Outer], Inner>
    : never
  : Name extends keyof Tree
    ? Tree[Name]
    : never
type ExportedJob = RouterOutputs['export'] extends AsyncIterable<infer Job> ? Job : never
type Arguments<Input> = undefined extends Input
  ? [input?: Input, options?: CallOptions]
  : [input: Input, options?: CallOptions]

export class ServerCalls {
  private readonly url: string
  private readonly base: string
  private readonly token: string | undefined
  private readonly patience: Patience
  /** Calls of this turn, which leave together: the queries in one request, the mutations in another. */
  private batch: BatchedCall[] = []

  constructor({ url, token }: Address, { patienceMs = PATIENCE_MS, responseMs = RESPONSE_MS }: Partial<Patience>) {
    this.url = url
    this.base = `${url.replace(/\/+$/, '')}/trpc`
    this.token = token
    this.patience = { patienceMs, responseMs }
  }

  /** Rejects with the server's own refusal, or with UNREACHABLE when there was no answer. */
  async call<Name extends Path>(
    path: Name,
    ...[input, { signal } = {}]: Arguments<At<RouterInputs, Name>>
  ): Promise<At<RouterOutputs, Name>> {
    const call = { path, json: encodeInput(input), waitMs: waitMsOf(input), signal }
    try {
      return await (travelsAlone(call) ? this.sendAlone(call) : this.sendInBatch(call))
    } catch (error) {
      throw toQueueError(error, this.url)
    }
  }

  /** Its response comes line by line, in the format of tRPC's streams. */
  async *export(filter: RouterInputs['export']): AsyncGenerator<ExportedJob, void> {
    const json = encodeInput(filter)
    try {
      const response = await fetch(`${this.base}/export?batch=1`, {
        method: 'POST',
        headers: { ...this.headers, 'trpc-accept': 'application/jsonl' },
        body: json === undefined ? '{}' : `{"0":${json}}`,
      })
      if (!response.ok || !response.body) answerIn<unknown>(await jsonOf(response))
      else yield* itemsIn(response.body)
    } catch (error) {
      throw toQueueError(error, this.url)
    }
  }

  private get headers(): Record<string, string> {
    const json = { 'content-type': 'application/json' }
    return this.token === undefined ? json : { ...json, authorization: `Bearer ${this.token}` }
  }

  private async sendAlone<Answer>(call: Call): Promise<Answer> {
    return answerIn(await this.post<Envelope<Answer>>(call.path, call.json, [call], call.signal))
  }

  private sendInBatch<Answer>(call: Call): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.batch.push({ ...call, resolve, reject })
      if (this.batch.length === 1) setTimeout(() => this.flush())
    })
  }

  private flush(): void {
    const calls = this.batch
    this.batch = []
    const isQuery = ({ path }: BatchedCall) => QUERIES.has(path)
    for (const alike of [calls.filter(isQuery), calls.filter((call) => !isQuery(call))]) {
      for (let from = 0; from < alike.length; from += limits.batchCalls)
        void this.sendBatch(alike.slice(from, from + limits.batchCalls))
    }
  }

  private async sendBatch(calls: readonly BatchedCall[]): Promise<void> {
    try {
      const inputs = calls.flatMap(({ json }, index) => (json === undefined ? [] : [`"${index}":${json}`]))
      const path = `${calls.map((call) => call.path).join(',')}?batch=1`
      const answers = await this.post<Envelope<unknown> | readonly Envelope<unknown>[]>(
        path,
        `{${inputs.join(',')}}`,
        calls,
        whenAllAbort(calls),
      )
      for (const [index, call] of calls.entries()) {
        try {
          // A refusal of the whole request is one answer to all.
          call.resolve(answerIn('length' in answers ? answers[index] : answers))
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
    const { patienceMs, responseMs } = this.patience
    const waitMs = Math.max(...calls.map((call) => call.waitMs))
    const isOfWorker = calls.every((call) => OF_WORKERS.has(call.path))
    const silence = new AbortController()
    const dueMs = waitMs + responseMs
    const late = () => silence.abort(new Error(`no response within ${dueMs} ms`))
    const timer = isOfWorker ? systemClock.after(dueMs, late) : null
    const wholeMs = path === 'backup' ? BACKUP_MS : patienceMs + (waitMs > 0 ? limits.waitMs : 0)
    const response = await fetch(`${this.base}/${path}`, {
      method: 'POST',
      headers: this.headers,
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.any([silence.signal, AbortSignal.timeout(wholeMs), ...(signal ? [signal] : [])]),
    }).finally(() => timer?.cancel())
    return jsonOf(response)
  }
}

/** What waits goes alone, because a batch answers with its slowest call. */
function travelsAlone({ path, json = '', waitMs }: Call): boolean {
  return path === 'backup' || waitMs > 0 || json.length > LARGE
}

/** `waitMs` of a claim or a result, or of the claim in an exchange. */
function waitMsOf(input: unknown): number {
  if (typeof input !== 'object' || input === null) return 0
  if ('waitMs' in input) return typeof input.waitMs === 'number' && input.waitMs > 0 ? input.waitMs : 0
  return 'claim' in input ? waitMsOf(input.claim) : 0
}

/** Aborts the request when none of its calls is wanted any longer. */
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
  throw new NotMillrace(`answered with HTTP ${response.status} and no JSON`)
}
