/** Uses of the API by a stock tRPC client: each marked line is an error, every other compiles, or tsc fails. Nothing here runs. */
import { isTRPCClientError, type TRPCClient, type TRPCClientError } from '@trpc/client'
import type { AppRouter, ErrorCode, EventFrame, Status } from '../../server/index.ts'

type Client = TRPCClient<AppRouter>

const id = '018f6f0e-0000-7000-8000-000000000001'

export async function rightUse(client: Client): Promise<readonly unknown[]> {
  const { id: stored, deduplicated } = await client.enqueue.mutate({ type: 'mail', payload: { to: 'a@b.c' } })
  const backoff = { kind: 'fixed', baseMs: 1_000 } as const
  const many = await client.enqueueMany.mutate({
    jobs: [{ type: 'mail', payload: 1, backoff, dedupeUntil: 'finished' }],
  })
  const [job] = await client.claim.mutate(
    { worker: 'w', types: ['mail'], waitMs: 1_000 },
    { signal: new AbortController().signal },
  )
  const version: number | undefined = job?.version
  const status: Status = (await client.complete.mutate({ id, version: 1, result: { sent: true } })).status
  const pages = [await client.list.query(), await client.list.query({ status: ['failed'], sort: 'oldest' })]
  const total: number | null | undefined = pages[0]?.total
  const pending: number = (await client.stats.query()).counts.pending
  const { outcomes } = await client.result.query({ ids: [id], waitMs: 1_000 })
  const results = outcomes.map((outcome) => (outcome.status === 'completed' ? outcome.result : null))
  for await (const line of await client.export.query({ type: 'mail' })) results.push(line.id)
  return [stored, deduplicated, many[0]?.id, version, status, total, pending, results]
}

export async function rightNestedUse(client: Client): Promise<readonly unknown[]> {
  const types = await client.types.list.query()
  await client.types.update.mutate({ name: 'mail', set: { rate: 5, timeoutMs: null }, clear: ['maxAttempts'] })
  await client.types.pause.mutate({ name: 'mail' })
  await client.settings.resume.mutate()
  await client.workers.drain.mutate({ worker: 'w' })
  const { id: bulk } = await client.bulk.start.mutate({ action: 'retry', filter: { status: ['failed'] } })
  return [types[0]?.name, bulk, await client.failures.groups.query(), await client.audit.list.query({ limit: 10 })]
}

export async function rightExchange(client: Client): Promise<readonly (ErrorCode | Status)[]> {
  const { settled, jobs } = await client.exchange.mutate({
    worker: 'w',
    settle: [
      { kind: 'complete', id, version: 1 },
      { kind: 'fail', id, version: 1, error: 'no route', retry: false },
      { kind: 'release', id, version: 1 },
    ],
    claim: { limit: 10, waitMs: 1_000 },
  })
  const ids: readonly string[] = jobs.map((job) => job.id)
  return ids.length > 0 ? [] : settled.map((one) => (one.ok ? one.value.status : one.error.code))
}

export function rightSubscription(client: Client): () => void {
  const subscription = client.events.subscribe(undefined, {
    onData({ id: eventId, data }) {
      const frame: EventFrame = data
      const resumeFrom: string = eventId
      return [resumeFrom, frame.counts.pending, frame.changes[0]?.id]
    },
    onError: (error) => error.data?.queueCode,
  })
  return () => subscription.unsubscribe()
}

export function rightError(error: unknown): ErrorCode | undefined {
  if (isTRPCClientError<AppRouter>(error)) return error.data?.queueCode
  return undefined
}

export function rightErrorClass(error: TRPCClientError<AppRouter>): string | undefined {
  if (error.data?.queueCode !== 'STALE_CLAIM') return error.data?.code
  const { httpStatus, details } = error.data
  return `${httpStatus} ${details.id}`
}

export async function wrongInput(client: Client): Promise<void> {
  // @ts-expect-error a job needs a type
  await client.enqueue.mutate({ payload: 1 })
  // @ts-expect-error a job needs a payload
  await client.enqueue.mutate({ type: 'mail' })
  // @ts-expect-error unknown option
  await client.enqueue.mutate({ type: 'mail', payload: 1, retries: 3 })
  // @ts-expect-error a priority is a number
  await client.enqueue.mutate({ type: 'mail', payload: 1, priority: 'high' })
  // @ts-expect-error a backoff needs a kind
  await client.enqueue.mutate({ type: 'mail', payload: 1, backoff: { baseMs: 1_000 } })
  // @ts-expect-error an instant is a number, not a Date
  await client.enqueue.mutate({ type: 'mail', payload: 1, runAt: new Date() })
  // @ts-expect-error enqueueMany takes an object with jobs
  await client.enqueueMany.mutate([{ type: 'mail', payload: 1 }])
  // @ts-expect-error a claim needs a worker
  await client.claim.mutate({ types: ['mail'] })
  // @ts-expect-error types are a list
  await client.claim.mutate({ worker: 'w', types: 'mail' })
  // @ts-expect-error complete needs the version of the claim
  await client.complete.mutate({ id, result: 1 })
  // @ts-expect-error a version is a number
  await client.complete.mutate({ id, version: '1' })
  // @ts-expect-error a failure needs an error
  await client.fail.mutate({ id, version: 1 })
  // @ts-expect-error a settlement needs a kind
  await client.exchange.mutate({ worker: 'w', settle: [{ id, version: 1 }] })
  // @ts-expect-error the claim of an exchange has no worker
  await client.exchange.mutate({ worker: 'w', claim: { worker: 'w' } })
  // @ts-expect-error unknown status
  await client.list.query({ status: ['sleeping'] })
  // @ts-expect-error only finished jobs can be cleaned up
  await client.cleanup.mutate({ status: ['pending'] })
  // @ts-expect-error unknown setting
  await client.types.update.mutate({ name: 'mail', set: { colour: 'red' } })
  // @ts-expect-error an unknown setting cannot be cleared
  await client.settings.update.mutate({ clear: ['colour'] })
  // @ts-expect-error unknown action
  await client.bulk.start.mutate({ action: 'shred', filter: {} })
  // @ts-expect-error the actor comes from the connection
  await client.retry.mutate({ id, actor: 'me' })
  // @ts-expect-error the id to resume from is a string
  client.events.subscribe({ lastEventId: 7 }, {})
}

export async function wrongProcedure(client: Client): Promise<void> {
  // @ts-expect-error unknown procedure
  await client.push.mutate({ type: 'mail', payload: 1 })
  // @ts-expect-error unknown procedure of this group
  await client.types.remove.mutate({ name: 'mail' })
  // @ts-expect-error a claim is a mutation
  await client.claim.query({ worker: 'w' })
  // @ts-expect-error a read is not a mutation
  await client.get.mutate({ id })
  // @ts-expect-error events is a subscription
  await client.events.query()
  // @ts-expect-error a group is not a procedure
  await client.settings.query()
}

export async function wrongResult(client: Client): Promise<void> {
  const [job] = await client.claim.mutate({ worker: 'w' })
  // @ts-expect-error there may be no job
  job.id
  // @ts-expect-error a payload is unknown until it was checked
  job?.payload.to
  // @ts-expect-error a claimed job is read-only
  if (job) job.version = 2
  const { outcomes } = await client.result.query({ ids: [id] })
  // @ts-expect-error only a completed job has a result
  outcomes[0]?.result
  const { settled } = await client.exchange.mutate({ worker: 'w' })
  // @ts-expect-error a settle may have been refused
  settled[0]?.value.status
  for (const one of settled) {
    // @ts-expect-error a refused settle has no value
    if (!one.ok) one.value
    // @ts-expect-error a successful settle has no error
    if (one.ok) one.error
  }
  const { counts } = await client.stats.query()
  // @ts-expect-error unknown status
  counts.sleeping
  // @ts-expect-error instants are numbers
  const createdAt: Date = (await client.get.query({ id })).createdAt
  // @ts-expect-error a page may have no total
  const total: number = (await client.list.query()).total
  return void [createdAt, total]
}

export function wrongFrame(client: Client): void {
  client.events.subscribe(undefined, {
    onData(tagged) {
      // @ts-expect-error the frame is in `data`, beside its id
      tagged.counts
      // @ts-expect-error frames list changed jobs without their fields
      tagged.data.jobs
      // @ts-expect-error a frame may list no job
      tagged.data.changes[0].id
    },
  })
}

export function wrongError(error: unknown): void {
  if (!isTRPCClientError<AppRouter>(error)) return
  // @ts-expect-error data is undefined without a response
  error.data.queueCode
  // @ts-expect-error unknown code
  if (error.data?.queueCode === 'LOST') return
  // @ts-expect-error errors have no stack
  error.data?.stack
  // @ts-expect-error details are unknown until they were checked
  error.data?.details.id.length
}
