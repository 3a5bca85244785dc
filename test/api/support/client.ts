/** Stock tRPC clients that record every request they send. */
import {
  createTRPCClient,
  httpBatchLink,
  httpBatchStreamLink,
  httpLink,
  splitLink,
  TRPCClientError,
  type TRPCLink,
} from '@trpc/client'
import type { AppRouter } from '../../../server/api/router.ts'
import type { TestServer } from '../../support/server.ts'

export interface Sent {
  readonly method: string
  /** Path and query, without the input. */
  readonly path: string
  readonly status: number
}

/** True for a call that waits: it must not be batched, because a batch responds with its slowest call. */
function waits(input: unknown): boolean {
  if (typeof input !== 'object' || input === null) return false
  const { waitMs, claim } = input as { waitMs?: number; claim?: unknown }
  return (waitMs ?? 0) > 0 || waits(claim)
}

function noting({ url: base }: TestServer) {
  const sent: Sent[] = []
  const url = `${base}/trpc`
  const noted: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    const { pathname, searchParams } = new URL(String(input))
    const path = `${pathname}${searchParams.has('batch') ? '?batch' : ''}`
    sent.push({ method: init?.method ?? 'GET', path, status: response.status })
    return response
  }
  return { sent, options: { url, fetch: noted as never } }
}

function connect(sent: Sent[], links: TRPCLink<AppRouter>[]) {
  return { sent, client: createTRPCClient<AppRouter>({ links }) }
}

export function batching(server: TestServer, more: { methodOverride?: 'POST'; maxItems?: number } = {}) {
  const { sent, options } = noting(server)
  return connect(sent, [httpBatchLink({ ...options, ...more })])
}

export function streaming(server: TestServer) {
  const { sent, options } = noting(server)
  return connect(sent, [httpBatchStreamLink(options)])
}

/** The recommended links for a worker: waiting calls go alone, the rest in batches. */
export function splitting(server: TestServer) {
  const { sent, options } = noting(server)
  const link = splitLink<AppRouter>({
    condition: ({ input }) => waits(input),
    true: httpLink(options),
    false: httpBatchLink(options),
  })
  return connect(sent, [link])
}

/** `[status, code]` of an error that a client received. */
export function codesOf(error: unknown): [number | undefined, string | undefined] {
  if (!(error instanceof TRPCClientError)) throw error
  const { httpStatus, queueCode } = (error as TRPCClientError<AppRouter>).data ?? {}
  return [httpStatus, queueCode]
}

export async function refusedBy(promise: Promise<unknown>): Promise<TRPCClientError<AppRouter>> {
  return promise.then(
    () => Promise.reject(new Error('nothing was refused')),
    (error) => (error instanceof TRPCClientError ? error : Promise.reject(error)),
  )
}
