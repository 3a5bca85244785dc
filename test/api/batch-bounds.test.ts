/** The procedure `batch`: how much one request may do and return, and what is logged and counted of it. */
import { expect, it } from 'vitest'
import { z } from 'zod'
import type { BatchOutcome } from '../../shared/contracts/batch.ts'
import { limits } from '../../shared/limits.ts'
import { VERB_NAMES, VERBS, type Verb } from '../../shared/verbs/verbs.ts'
import { until } from '../support/engine.ts'
import { DATABASES } from '../support/places.ts'
import { call, type TestServer } from '../support/server.ts'
import { given } from './support/responses.ts'
import { PROCEDURES } from './support/table.ts'
import { describeApi, MISSING, type World } from './support/world.ts'

interface Op {
  readonly verb: string
  readonly input?: unknown
}

const PATHS = [{ DIRECT_TRPC: 'on' }, { DIRECT_TRPC: 'off' }] as const
const ROOT = { authorization: 'Bearer root' }
const TOO_LARGE = {
  ok: false,
  error: { code: 'TOO_LARGE', details: { batchResponseBytes: limits.batchResponseBytes } },
}

async function send(server: TestServer, ops: readonly Op[], headers = {}): Promise<BatchOutcome['outcomes']> {
  return given<BatchOutcome>(await call(server, 'batch', 'mutation', { ops }, headers)).outcomes
}

async function sendTrpcBatch({ url }: TestServer, paths: readonly string[], inputs: readonly unknown[]) {
  const response = await fetch(`${url}/trpc/${paths.join()}?batch=1`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...inputs }),
  })
  return { status: response.status, body: await response.json() }
}

/** Jobs of 1 MB each. */
async function storeLarge({ engine }: TestServer, type: string, n: number): Promise<readonly string[]> {
  const ids = []
  for (let i = 0; i < n; i++) {
    ids.push((await engine.enqueue({ type, payload: 'x'.repeat(1_000_000) })).id)
  }
  return ids
}

/** Returns how many calls of `get` ran at the same time. */
function countReads({ engine }: TestServer): () => number {
  const { get } = engine.parsed
  let running = 0
  let most = 0
  const counting: typeof get = async (input) => {
    running += 1
    most = Math.max(most, running)
    return get(input).finally(() => {
      running -= 1
    })
  }
  Object.assign(engine.parsed, { get: counting })
  return () => most
}

describeApi(
  'a batch',
  ({ openServer }) => {
    it.each(PATHS)('is refused as one call of several in a request, and stores nothing: %o', async (settings) => {
      const server = await openServer(settings)
      const batch = { ops: [{ verb: 'enqueue', input: { type: 'mail', payload: 1 } }] }
      const { status, body } = await sendTrpcBatch(server, ['batch', 'batch'], [batch, batch])
      const error = {
        message: expect.stringContaining('separate request'),
        data: { queueCode: 'BAD_INPUT', path: 'batch' },
      }
      expect([status, body]).toMatchObject([400, [{ error }, { error }]])
      expect((await server.engine.counts()).pending).toBe(0)
      const alone = await sendTrpcBatch(server, ['batch'], [batch])
      expect(alone).toMatchObject({ status: 200, body: [{ result: { data: { outcomes: [{ ok: true }] } } }] })
    })

    it.each(PATHS)(
      'refuses the reads that do not fit into the response, and stores every write: %o',
      async (settings) => {
        const server = await openServer(settings)
        const [id] = await storeLarge(server, 'large', 1)
        const job = { verb: 'enqueue', input: { type: 'mail', payload: 1 } }
        const reads = Array.from({ length: 60 }, () => ({ verb: 'get', input: { id } }))
        const outcomes = await send(server, [...reads, job, { verb: 'facts' }])
        const fits = Math.floor(limits.batchResponseBytes / 1_000_000) - 1
        expect(outcomes.slice(0, fits).every(({ ok }) => ok)).toBe(true)
        expect(outcomes[fits + 2]).toMatchObject(TOO_LARGE)
        expect(outcomes.slice(fits + 2, 60)).toEqual(Array(60 - fits - 2).fill(outcomes[fits + 2]))
        expect(outcomes.slice(60)).toMatchObject([{ ok: true, value: { status: 'pending' } }, TOO_LARGE])
        expect(JSON.stringify(outcomes).length).toBeLessThan(limits.batchResponseBytes + 60 * 1_000)
      },
    )

    it.each(PATHS)('of tRPC refuses the reads that do not fit into the response: %o', async (settings) => {
      const server = await openServer(settings)
      const [id] = await storeLarge(server, 'large', 1)
      const { status, body } = await sendTrpcBatch(server, Array(100).fill('get'), Array(100).fill({ id }))
      const fits = Math.floor(limits.batchResponseBytes / 1_000_000)
      const data = {
        ...{ queueCode: 'TOO_LARGE', httpStatus: 413, path: 'get' },
        details: { batchResponseBytes: limits.batchResponseBytes },
      }
      const results = z.array(z.looseObject({})).parse(body)
      expect(status).toBe(207)
      expect(results.slice(0, fits).every((one) => 'result' in one)).toBe(true)
      expect(results.slice(fits)).toMatchObject(Array(100 - fits).fill({ error: { data } }))
    })

    it.each(PATHS)('of tRPC runs at most four reads at a time, and all of them: %o', async (settings) => {
      const server = await openServer(settings)
      const most = countReads(server)
      const { body } = await sendTrpcBatch(server, Array(50).fill('get'), Array(50).fill({ id: MISSING }))
      expect(body).toMatchObject(Array(50).fill({ error: { data: { queueCode: 'NOT_FOUND' } } }))
      expect(most()).toBe(4)
    })

    it('delivers every job that its claims took, and does not run the claims that follow', async () => {
      const server = await openServer()
      await storeLarge(server, 'large', 40)
      await server.engine.enqueueMany({
        jobs: Array.from({ length: 3 }, (_, payload) => ({ type: 'mail', payload })),
      })
      const claim = (type: string, limit: number) => ({ verb: 'claim', input: { worker: 'w', types: [type], limit } })
      const outcomes = await send(server, [
        claim('large', limits.claim),
        claim('mail', 1),
        { verb: 'exchange', input: { worker: 'w', claim: { types: ['mail'], limit: 1 } } },
        { verb: 'enqueue', input: { type: 'print', payload: 1 } },
      ])
      expect(outcomes).toMatchObject([{ ok: true, value: { length: 40 } }, TOO_LARGE, TOO_LARGE, { ok: true }])
      expect(await server.engine.counts()).toMatchObject({ processing: 40, pending: 4 })
    })

    it('runs claims of more jobs than one claim may take, while there is room', async () => {
      const server = await openServer()
      const count = 2 * limits.claim + 1
      await server.engine.enqueueMany({
        jobs: Array.from({ length: count }, (_, payload) => ({ type: 'mail', payload })),
      })
      const claim = (limit: number) => ({ verb: 'claim', input: { worker: 'w', limit } })
      const outcomes = await send(server, [claim(limits.claim), claim(limits.claim), claim(1)])
      expect(outcomes).toMatchObject([
        { ok: true, value: { length: limits.claim } },
        { ok: true, value: { length: limits.claim } },
        { ok: true, value: { length: 1 } },
      ])
    })

    it('runs at most four reads at a time', async () => {
      const server = await openServer()
      const most = countReads(server)
      await send(
        server,
        Array.from({ length: 50 }, () => ({ verb: 'get', input: { id: MISSING } })),
      )
      expect(most()).toBe(4)
    })
  },
  DATABASES.slice(0, 1),
)

/** Statuses of the tRPC route: [status, number] in the order of the statuses. */
async function counted({ url }: TestServer): Promise<readonly string[]> {
  const text = await (await fetch(`${url}/metrics`, { headers: ROOT })).text()
  return text.split('\n').filter((line) => line.startsWith('millrace_http_requests_total{route="trpc"'))
}

async function traces(server: TestServer, requests: number) {
  await until(() => server.logged.filter(({ msg }) => msg === 'request').length >= requests)
  return {
    counted: await counted(server),
    faults: server.logged.filter(({ msg }) => msg === 'a call failed').map(({ path, actor }) => ({ path, actor })),
    audit: (await server.engine.auditTrail()).map(({ id: _, at: __, ...row }) => row),
  }
}

const isOperate = (verb: Verb) => 'hasActor' in VERBS[verb]

describeApi(
  'an operation of a batch',
  ({ openWorld }) => {
    /** The same calls on two queues: one after the other, and as batches of one operation. */
    async function compare(
      run: (world: World, send: (verb: Verb, input: unknown) => Promise<void>) => Promise<number>,
    ) {
      const single = await openWorld({ AUTH_TOKEN: 'root' })
      const batched = await openWorld({ AUTH_TOKEN: 'root' })
      const sent = await run(single, async (verb, input) => {
        const { path, type } = VERBS[verb]
        await call(single.server, path, type, input, ROOT)
      })
      await run(batched, async (verb, input) => void (await send(batched.server, [{ verb, input }], ROOT)))
      return [await traces(single.server, sent), await traces(batched.server, sent)] as const
    }

    it.each(VERB_NAMES.filter(isOperate))(
      'is in the audit log and in the metrics as the single call: %s',
      async (verb) => {
        const row = PROCEDURES[VERBS[verb].path]
        const [single, batched] = await compare(async (world, sendOne) => {
          const given = [row?.bad?.[0], row?.missing, row?.input?.(world)].filter((input) => input !== undefined)
          const inputs = given.length > 0 ? given : [undefined]
          for (const input of inputs) await sendOne(verb, input)
          return inputs.length
        })
        expect(plain(batched)).toEqual(plain(single))
        expect(single.counted.length).toBeGreaterThan(0)
      },
    )

    it.each(['complete', 'types', 'exchange'] as const)(
      'is in the log as the single call when it fails: %s',
      async (verb) => {
        const [single, batched] = await compare(async ({ server }, sendOne) => {
          const fail = () => Promise.reject(new Error('the disk is gone'))
          Object.assign(server.engine.parsed, { [verb]: fail })
          await sendOne(verb, PROCEDURES[VERBS[verb].path]?.input?.({ ...(await openWorld()), server }))
          return 1
        })
        expect(plain(batched)).toEqual(plain(single))
        expect(batched.faults).toEqual([{ path: VERBS[verb].path, actor: expect.any(String) }])
        expect(batched.counted).toEqual([expect.stringContaining('status="500"')])
      },
    )
  },
  DATABASES.slice(0, 1),
)

/** Without ids and times, which differ between two queues. */
function plain(value: unknown): unknown {
  const text = JSON.stringify(value)
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'id')
    .replace(/\b\d{13}\b/g, 'time')
  return JSON.parse(text.replaceAll(':time', ':0'))
}
