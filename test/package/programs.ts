/** Programs of a package user: one must compile, the others must each fail with one error. */

/** A standard tRPC client of the server. */
export const START = `
import { createTRPCClient, httpBatchLink, httpSubscriptionLink, isTRPCClientError, splitLink } from '@trpc/client'
import type { AppRouter } from 'millrace'

const url = 'http://127.0.0.1:3000/trpc'
const id = '018f6f0e-0000-7000-8000-000000000001'
export const client = createTRPCClient<AppRouter>({
  links: [
    splitLink({
      condition: (op) => op.type === 'subscription',
      true: httpSubscriptionLink({ url }),
      false: httpBatchLink({ url }),
    }),
  ],
})
export const codeOf = (error: unknown) => (isTRPCClientError<AppRouter>(error) ? error.data?.queueCode : undefined)
export const theId = id
`

export const GOOD = `${START}
import { postgres, sqlite } from 'millrace/schema'
import { createTq, tq } from 'millrace/tq'
import { type JobRecord, openSimpleQueue } from 'millrace/simple'
import { createTestQueue } from 'millrace/testing'
tq<{ to: string }>('mail').setWorker(async ({ to }, { attempt }) => to.repeat(attempt)).setWorkerCount(2)
export const names: ['millrace_jobs', 'millrace_jobs'] = [sqlite.jobs._.name, postgres.jobs._.name]
export const waiting: Promise<number> = createTq({ url }).stats().then((stats) => stats['to-do'])
export const record: JobRecord | null = openSimpleQueue('./queue.db').dequeue('w')
export const found: string = createTestQueue().expectEnqueued('mail', { to: 'a' }).id
const stored = await client.enqueue.mutate({ type: 'mail', payload: { to: 'a@b.c' }, dedupeKey: 'k' })
const [job] = await client.claim.mutate({ worker: 'w', types: ['mail'] })
const { settled } = await client.exchange.mutate({
  worker: 'w',
  settle: job ? [{ kind: 'complete', id: job.id, version: job.version, result: { sent: true } }] : [],
  claim: { limit: 10 },
})
for (const one of settled) console.log(one.ok ? one.value.status : one.error.code)
const { createdAt } = await client.get.query({ id: stored.id })
const page = await client.list.query({ status: ['failed', 'cancelled'], limit: 10 })
await client.types.pause.mutate({ name: 'mail' })
const { id: bulk } = await client.bulk.start.mutate({ action: 'retry', filter: { type: 'mail' } })
client.events.subscribe(undefined, {
  onData: ({ id, data }) => console.log(id.length, data.counts.pending.toFixed(), data.changes[0]?.to),
  onError: (error) => console.log(error.data?.queueCode === 'BUSY'),
})
const { outcomes } = await client.result.query({ ids: [stored.id] })
export const numbers: (number | null)[] = [createdAt, page.total, (await client.stats.query()).counts.pending]
export const words: string[] = [bulk, ...outcomes.map((one) => (one.status === 'failed' ? String(one.error) : one.status))]
`

/** The wrong line and its compiler error. */
const WRONG_LINES: Readonly<Record<string, readonly [line: string, error: RegExp]>> = {
  'misspelt-procedure': ['await client.enqeue.mutate({ type: "mail", payload: 1 })', /^TS2551: .*'enqeue'.*'enqueue'/],
  'missing-type': ['await client.enqueue.mutate({ payload: 1 })', /^TS2741: Property 'type' is missing/],
  'unknown-option': ['await client.enqueue.mutate({ type: "a", payload: 1, retries: 3 })', /^TS2353: .*'retries'/],
  'text-for-number': ['await client.enqueue.mutate({ type: "a", payload: 1, priority: "high" })', /^TS2322: .*'number/],
  'query-for-mutation': ['await client.claim.query({ worker: "w" })', /^TS2339: Property 'query'/],
  'missing-version': ['await client.complete.mutate({ id })', /^TS2741: Property 'version' is missing/],
  'no-such-status': ['await client.list.query({ status: ["sleeping"] })', /^TS2322: Type '"sleeping"'/],
  'no-such-nested': ['await client.types.remove.mutate({ name: "mail" })', /^TS2339: Property 'remove'/],
  'nested-input': ['await client.types.pause.mutate({ type: "mail" })', /^TS2353: .*'type'/],
  'no-such-setting': ['await client.types.update.mutate({ name: "a", set: { colour: 1 } })', /^TS2353: .*'colour'/],
  'instant-is-no-date': [
    'export const at: Date = (await client.get.query({ id })).createdAt',
    /^TS2322: Type 'number' is not assignable to type 'Date'/,
  ],
  'payload-is-unknown': [
    'for (const job of await client.claim.mutate({ worker: "w" })) console.log(job.payload.to)',
    /^TS18046: 'job.payload' is of type 'unknown'/,
  ],
  'unchecked-outcome': [
    'for (const one of (await client.exchange.mutate({ worker: "w" })).settled) console.log(one.value)',
    /^TS2339: Property 'value'/,
  ],
  'frame-without-envelope': [
    'client.events.subscribe(undefined, { onData: (frame) => console.log(frame.counts) })',
    /^TS2339: Property 'counts'/,
  ],
  'tq-payload': [
    'import { tq } from "millrace/tq"; tq<{ to: string }>("mail").add({ from: "a" })',
    /^TS2353: .*'from' does not exist/,
  ],
  'tq-no-database': ['import { tq } from "millrace/tq"; tq.init({ db: "./app.db" })', /^TS2769: No overload matches/],
  'no-such-duration': [
    'import { createTestQueue } from "millrace/testing"; await createTestQueue().advance("1y")',
    /^TS2345: Argument of type '"1y"'/,
  ],
  'no-such-code': ['export const lost = codeOf(null) === "LOST"', /^TS2367: .*"LOST"/],
}

export const WRONG: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(WRONG_LINES).map(([name, [line]]) => [`${name}.ts`, `${START}\n${line}\n`]),
)

export const WRONG_ERRORS: Readonly<Record<string, RegExp>> = Object.fromEntries(
  Object.entries(WRONG_LINES).map(([name, [, error]]) => [`${name}.ts`, error]),
)
