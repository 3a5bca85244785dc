/** The queue behind a server's address: every verb is the procedure of the same meaning, every refusal the same QueueError. */
import {
  createTRPCClient,
  httpBatchLink,
  httpBatchStreamLink,
  httpLink,
  splitLink,
  TRPCClientError,
  type TRPCLink,
} from '@trpc/client'
import { z } from 'zod'
import type { BackupInput } from '../../shared/contracts/operate.ts'
import { ERRORS, type ErrorCode, QueueError } from '../../shared/errors.ts'
import { limits, MINUTE } from '../../shared/limits.ts'
import type { MadeBackup } from '../api/context.ts'
import type { AppRouter } from '../api/router.ts'
import type { Settled } from '../api/work.ts'
import { systemClock } from '../clock.ts'
import type { SettleOutcome } from '../engine/work.ts'
import { encodeLink, LENGTH } from './encode-link.ts'
import type { Address, Queue } from './queue.ts'

/** Larger inputs travel alone: a batch of them would be refused as too large, all of it. */
const LARGE = 16_384

/** On a line that has gone silent no answer ever comes: whoever asked is told so then. Enough for 8 MiB on a slow line. */
const PATIENCE_MS = 60_000
/**
 * Calls of workers are small: their response begins this long after the time they asked to wait, or the connection is given
 * up and the call repeated on a new one.
 */
const RESPONSE_MS = 5_000
/** A large file takes its time; the server makes its backup, whether or not anybody waits for the answer. */
const BACKUP_MS = 5 * MINUTE

/** Small calls, of which many workers make many: a connection that has gone silent is noticed by them. */
const OF_WORKERS: ReadonlySet<string> = new Set(['claim', 'exchange', 'heartbeat', 'progress', 'log', 'result'])

interface Patience {
  /** For the whole response. */
  readonly patienceMs: number
  /** For the beginning of the response to a worker's call. */
  readonly responseMs: number
}

/** What only a server can do. */
export interface RemoteQueue extends Queue {
  /** Made by the server, where it says; a name in its folder for backups. */
  backup(input?: BackupInput): Promise<MadeBackup>
}

/** `url` is that of the server, as a browser would be given it: `http://127.0.0.1:3000`. */
export function openRemoteQueue(
  { url, token }: Address,
  { patienceMs = PATIENCE_MS, responseMs = RESPONSE_MS }: Partial<Patience> = {},
): RemoteQueue {
  refuseCredentials(url)
  const links = [encodeLink, route(`${url.replace(/\/+$/, '')}/trpc`, token, { patienceMs, responseMs })]
  const client = createTRPCClient<AppRouter>({ links })
  const ask = <Answer>(call: Promise<Answer>) => call.catch((error: unknown) => refuse(error, url))

  return {
    address: { url, token },
    enqueue: (input) => ask(client.enqueue.mutate(input)),
    enqueueMany: ({ jobs }) => ask(client.enqueueMany.mutate({ jobs: [...jobs] })),

    async claim(input, { signal } = {}) {
      if (signal?.aborted) return []
      return (await orNothing(ask(client.claim.mutate(input, withSignal(signal))), [], signal)).map(withPayload)
    },
    async exchange(input, { signal } = {}) {
      const { settled, jobs, timing } = await ask(client.exchange.mutate(input, withSignal(signal)))
      return { settled: settled.map(toOutcome), jobs: jobs.map(withPayload), ...(timing && { timing }) }
    },
    heartbeat: (input, { signal } = {}) => ask(client.heartbeat.mutate(input, withSignal(signal))),
    complete: (input) => ask(client.complete.mutate(input)),
    fail: (input) => ask(client.fail.mutate(input)),
    release: (input) => ask(client.release.mutate(input)),
    progress: (input, { signal } = {}) => ask(client.progress.mutate(input, withSignal(signal))),
    log: (input, { signal } = {}) => ask(client.log.mutate(input, withSignal(signal))),

    async get(input) {
      const job = await ask(client.get.query(input))
      return { ...job, payload: job.payload, result: job.result }
    },
    list: (input) => ask(client.list.query(input)),
    async *export(filter) {
      const jobs = await ask(client.export.query(filter))
      try {
        yield* jobs
      } catch (error) {
        refuse(error, url)
      }
    },
    holders: (input) => ask(client.holders.query(input)),
    counts: async () => (await ask(client.stats.query())).counts,
    stats: (input) => ask(client.stats.query(input)),
    history: (input) => ask(client.history.query(input)),
    depths: (input) => ask(client.depths.query(input)),
    async result(input, { signal } = {}) {
      const nothingYet = { outcomes: [], notYet: [...input.ids] }
      const answer = await orNothing(ask(client.result.query(input, withSignal(signal))), nothingYet, signal)
      const outcomes = answer.outcomes.map((one) => (one.status === 'completed' ? { ...one, result: one.result } : one))
      return { outcomes, notYet: answer.notYet }
    },
    explain: (input) => ask(client.explain.query(input)),
    attempts: (input) => ask(client.attempts.query(input)),
    logs: (input) => ask(client.logs.query(input)),
    types: () => ask(client.types.list.query()),
    type: (input) => ask(client.types.get.query(input)),
    settings: () => ask(client.settings.get.query()),
    workers: () => ask(client.workers.list.query()),
    failureGroups: (input) => ask(client.failures.groups.query(input)),
    countBulk: (input) => ask(client.bulk.count.query(input)),
    bulk: (input) => ask(client.bulk.status.query(input)),
    auditTrail: async (input) =>
      (await ask(client.audit.list.query(input))).map((row) => ({ ...row, details: row.details })),
    facts: () => ask(client.facts.query()),

    // The server knows by the token who is acting: a name given here would only be a claim.
    retry: ({ id }) => ask(client.retry.mutate({ id })),
    runNow: ({ id }) => ask(client.runNow.mutate({ id })),
    cancel: ({ id }) => ask(client.cancel.mutate({ id })),
    remove: ({ id }) => ask(client.remove.mutate({ id })),
    cleanup: ({ actor: _, ...input } = {}) => ask(client.cleanup.mutate(input)),
    declareTypes: ({ actor: _, ...input }) => ask(client.types.declare.mutate(input)),
    updateType: ({ actor: _, ...input }) => ask(client.types.update.mutate(input)),
    pauseType: ({ name }) => ask(client.types.pause.mutate({ name })),
    resumeType: ({ name }) => ask(client.types.resume.mutate({ name })),
    updateSettings: ({ actor: _, ...input }) => ask(client.settings.update.mutate(input)),
    pause: () => ask(client.settings.pause.mutate()),
    resume: () => ask(client.settings.resume.mutate()),
    drainWorker: ({ actor: _, ...input }) => ask(client.workers.drain.mutate(input)),
    startBulk: ({ actor: _, ...input }) => ask(client.bulk.start.mutate(input)),
    cancelBulk: ({ id }) => ask(client.bulk.cancel.mutate({ id })),
    undoBulk: ({ id }) => ask(client.bulk.undo.mutate({ id })),
    createToken: ({ actor: _, scopes, ...input }) =>
      ask(client.tokens.create.mutate({ ...input, scopes: [...scopes] })),
    tokens: () => ask(client.tokens.list.query()),
    revokeToken: ({ id }) => ask(client.tokens.revoke.mutate({ id })),
    backup: (input) => ask(client.backup.mutate(input)),
    close: async () => {},
  }
}

/** A batch answers with its slowest call: what waits goes alone, and what streams as well. */
function route(url: string, token: string | undefined, patience: Patience): TRPCLink<AppRouter> {
  const { patienceMs } = patience
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const options = {
    url,
    headers,
    // Lists of ids do not fit into an address.
    methodOverride: 'POST' as const,
  }
  return splitLink<AppRouter>({
    condition: ({ path }) => path === 'export',
    true: httpBatchStreamLink({ ...options, maxItems: 1 }),
    false: splitLink<AppRouter>({
      condition: ({ path, input, context }) =>
        path === 'backup' || waits(input) || Number(context[LENGTH] ?? 0) > LARGE,
      true: splitLink<AppRouter>({
        condition: ({ path }) => path === 'backup',
        true: httpLink({ ...options, fetch: fetchWithin(BACKUP_MS) }),
        false: httpLink({
          ...options,
          headers: ({ op }) => ({ ...headers, ...(waits(op.input) ? waitHeader([op]) : {}) }),
          fetch: fetchWithin(patienceMs + limits.waitMs, patience),
        }),
      }),
      false: httpBatchLink({
        ...options,
        headers: ({ opList }) => ({ ...headers, ...waitHeader(opList) }),
        fetch: fetchWithin(patienceMs, patience),
        maxItems: limits.batchCalls,
      }),
    }),
  })
}

/** `Prefer: wait` of RFC 7240, in seconds, on requests whose response must begin soon after that time. */
function waitHeader(ops: readonly { readonly path: string; readonly input: unknown }[]): { prefer?: string } {
  if (!ops.every(({ path }) => OF_WORKERS.has(path))) return {}
  return { prefer: `wait=${Math.max(...ops.map(({ input }) => waitMsOf(input))) / 1_000}` }
}

function preferredWaitMs(headers: RequestInit['headers']): number | null {
  const [, seconds] = /^wait=([\d.]+)$/.exec(new Headers(headers).get('prefer') ?? '') ?? []
  return seconds === undefined ? null : Number(seconds) * 1_000
}

/** `ms` is for the whole response; the beginning of those that are due soon has its own limit. */
function fetchWithin(ms: number, patience?: Patience): NonNullable<Parameters<typeof httpLink<AppRouter>>[0]['fetch']> {
  return async (input, init) => {
    const silence = new AbortController()
    const waitMs = patience ? preferredWaitMs(init?.headers) : null
    const dueMs = patience && waitMs !== null ? waitMs + patience.responseMs : null
    const late = () => silence.abort(new Error(`no response within ${dueMs} ms`))
    const timer = dueMs === null ? null : systemClock.after(dueMs, late)
    const signals = [silence.signal, AbortSignal.timeout(ms), ...(init?.signal ? [init.signal] : [])]
    const response = await fetch(input, { ...init, signal: AbortSignal.any(signals) }).finally(() => timer?.cancel())
    if (response.headers.get('content-type')?.includes('json')) return response
    await response.body?.cancel()
    throw new OfAnother(`answered with HTTP ${response.status} and no JSON`)
  }
}

const waiting = z.object({ waitMs: z.number().positive() })
const claiming = z.object({ claim: waiting })

function waits(input: unknown): boolean {
  return waitMsOf(input) > 0
}

function waitMsOf(input: unknown): number {
  return waiting.safeParse(input).data?.waitMs ?? claiming.safeParse(input).data?.claim.waitMs ?? 0
}

/** The wire's types say that what may be anything may also be missing; the server always sends it. */
function withPayload<Sent extends { readonly payload?: unknown }>(job: Sent) {
  return { ...job, payload: job.payload }
}

function withSignal(signal: AbortSignal | undefined): { signal?: AbortSignal } {
  return signal ? { signal } : {}
}

/** Whoever hangs up wants no answer, and no error either. */
async function orNothing<Answer>(call: Promise<Answer>, nothing: Answer, signal: AbortSignal | undefined) {
  try {
    return await call
  } catch (error) {
    if (signal?.aborted) return nothing
    throw error
  }
}

const isCode = (text: string): text is ErrorCode => text in ERRORS
const details = z.record(z.string(), z.unknown()).catch({})
const refusal = z.object({ queueCode: z.string().refine(isCode), details })

function toOutcome(settled: Settled): SettleOutcome {
  if (settled.ok) return settled
  const { code, message, details: given } = settled.error
  return { ok: false, error: new QueueError(code, message, given) }
}

/** What the server refused is thrown as its own refusal; everything else means that it could not be asked. */
function refuse(error: unknown, url: string): never {
  if (error instanceof TRPCClientError && error.cause instanceof QueueError) throw error.cause
  const data = error instanceof TRPCClientError ? refusal.safeParse(error.data) : null
  const reason = error instanceof Error ? error.message : String(error)
  if (data?.success) throw new QueueError(data.data.queueCode, reason, data.data.details)
  const trouble = isOfAnother(error)
    ? `${reason}, as Millrace never does; is the address right?`
    : `gave no answer (${causeOf(error) || reason}); is it running?`
  throw new QueueError('UNREACHABLE', `The server at ${url} ${trouble}`)
}

/** A proxy answered, or another program. */
class OfAnother extends Error {}

function isOfAnother(error: unknown): boolean {
  return error instanceof TRPCClientError && error.cause instanceof OfAnother
}

/** `fetch` takes no such address, and every message would show the password. */
function refuseCredentials(url: string): void {
  if (!URL.canParse(url)) return
  const { username, password } = new URL(url)
  if (username === '' && password === '') return
  throw new QueueError('BAD_INPUT', 'The address of a server has no user and no password; give it a token instead.')
}

/** `fetch failed` has a cause that says why. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  return causeOf(error.cause) || error.message
}
