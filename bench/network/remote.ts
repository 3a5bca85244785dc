/** HTTP callers: standard tRPC clients of the queue, and the same calls as plain requests to the echo server. */
import { createTRPCClient, httpBatchLink, httpLink, type TRPCClient } from '@trpc/client'
import type { AppRouter } from '../../server/index.ts'

export type Remote = TRPCClient<AppRouter>

const RESULT = { ok: true }

export function connect(url: string): { readonly batched: Remote; readonly single: Remote } {
  return {
    batched: createTRPCClient<AppRouter>({ links: [httpBatchLink({ url })] }),
    single: createTRPCClient<AppRouter>({ links: [httpLink({ url })] }),
  }
}

/** Enqueues a job, claims the next one and completes it. */
export async function liveRemotely(remote: Remote, type: string, payload: unknown, caller: number): Promise<void> {
  await remote.enqueue.mutate({ type, payload })
  const [job] = await remote.claim.mutate({ worker: `worker-${caller}`, types: [type] })
  if (!job) throw new Error(`No ${type} job left to claim; the benchmark needs one for every claim.`)
  await remote.complete.mutate({ id: job.id, version: job.version, result: RESULT })
}

/** Request bodies of the three calls of a job. */
export function inputsOfLife(type: string, payload: unknown, id: string): readonly unknown[] {
  return [
    { type, payload },
    { worker: 'worker-10', types: [type] },
    { id, version: 1, result: RESULT },
  ]
}

/** Body of one request with the same call of many callers. */
export function batchOf(input: unknown, calls: number): unknown {
  return Object.fromEntries(Array.from({ length: calls }, (_, call) => [call, input]))
}

export async function echo(url: string, input: unknown): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(input) })
  return response.json()
}

export async function echoAll(url: string, inputs: readonly unknown[]): Promise<void> {
  for (const input of inputs) await echo(url, input)
}
