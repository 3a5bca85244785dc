/** The OpenAPI document: openapi.yaml is current, it is served, and it matches real responses. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { describeServer as describeApi } from '../../server/http/openapi/document.ts'
import { healthOperations } from '../../server/http/openapi/health.ts'
import { backfillResponse } from '../../server/http/openapi/schedules.ts'
import * as answers from '../../shared/contracts/responses.ts'
import * as schedules from '../../shared/contracts/responses-schedules.ts'
import { call, describeServer } from '../support/server.ts'
import { FILE, openapiYaml } from './yaml.ts'

it('openapi.yaml is up to date; npm run openapi regenerates it', () => {
  expect(readFileSync(FILE, 'utf8')).toBe(openapiYaml())
})

it('the OpenAPI document has no dangling reference', () => {
  const document = describeApi()
  const text = JSON.stringify(document)
  const named = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name)
  const { components } = z
    .object({ components: z.object({ schemas: z.record(z.string(), z.unknown()) }) })
    .parse(document)
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((name = '') => !(name in components.schemas))).toEqual([])
})

describeServer('the OpenAPI document', (startServer) => {
  it('is served as JSON and as a page, below the base path', async () => {
    const { url } = await startServer({ BASE_PATH: '/queue' })
    const served = await fetch(`${url}/openapi.json`)
    expect([served.status, await served.json()]).toEqual([200, describeApi('/queue')])
    const page = await fetch(`${url}/reference`)
    const html = await page.text()
    const nonce = /'nonce-([^']+)'/.exec(page.headers.get('content-security-policy') ?? '')?.[1]
    expect(html).toContain(`<style nonce="${nonce}">`)
    expect(html).toContain('id="enqueueMany"')
    expect(html).not.toContain('<script')
  })

  it('matches the responses of the health probes', async () => {
    const { url } = await startServer()
    for (const { path, responses } of healthOperations) {
      const response = await fetch(`${url}${path}`)
      const schema = responses[response.status]?.schema ?? z.never()
      expect([path, strictly(schema).safeParse(await response.json()).error]).toEqual([path, undefined])
    }
  })

  it('matches the results of procedures', async () => {
    const server = await startServer()
    const check = async (name: string, kind: 'query' | 'mutation', schema: z.ZodType, input?: unknown) => {
      const { status, body } = await call(server, name, kind, input)
      expect([name, status]).toEqual([name, 200])
      return strictly(schema).parse(z.object({ result: z.object({ data: z.unknown() }) }).parse(body).result.data)
    }
    await check('enqueueMany', 'mutation', z.array(answers.enqueueResponse), {
      jobs: [1, 2, 3].map((payload) => ({ type: 'a', payload, backoff: { kind: 'linear' } })),
    })
    await check('enqueue', 'mutation', answers.enqueueResponse, { type: 'a', payload: { deep: [1] }, dedupeKey: 'k' })
    const jobs = z.array(answers.claimedJob)
    const [first, second, third] = jobs.parse(await check('claim', 'mutation', jobs, { worker: 'w', limit: 3 }))
    const lease = (one = first) => ({ id: one?.id, version: one?.version })
    await check('heartbeat', 'mutation', answers.heartbeatResponse, { worker: 'w', leases: [lease()] })
    await check('complete', 'mutation', answers.settleResponse, { ...lease(), result: { done: true } })
    await check('fail', 'mutation', answers.settleResponse, { ...lease(second), error: 'no', retry: false })
    const settle = [
      { kind: 'release', ...lease(third) },
      { kind: 'complete', ...lease(third) },
    ]
    await check('exchange', 'mutation', answers.exchangeResponse, { worker: 'w', settle, claim: {} })
    await check('get', 'query', answers.job, { id: first?.id })
    await check('list', 'query', answers.listResponse, { payloads: true })
    await check('list', 'query', answers.listResponse)
    await check('stats', 'query', answers.statsResponse)
    await check('result', 'query', answers.resultResponse, { ids: [first?.id, second?.id, third?.id] })
    await check('explain', 'query', answers.explainResponse, { id: second?.id })
    await check('attempts', 'query', z.array(answers.attempt), { id: second?.id })
    await check('retry', 'mutation', answers.actionResponse, { id: second?.id })
    await check('cleanup', 'mutation', answers.cleanupResponse, { olderThanMs: 0 })
    const nightly = { name: 'nightly', type: 'b', payload: 1, cron: '0 3 * * *', spread: '50%', except: ['2026-12-25'] }
    const { name } = nightly
    const declared = { owner: 'shop', schedules: [{ ...nightly, name: 'declared' }] }
    await check('schedules.create', 'mutation', schedules.schedule, nightly)
    await check('schedules.declare', 'mutation', schedules.declareSchedulesResponse, declared)
    await check('schedules.update', 'mutation', schedules.schedule, { name, set: { every: '1h', maxRuns: null } })
    await check('schedules.run', 'mutation', schedules.scheduleRunResponse, { name })
    await check('schedules.pause', 'mutation', schedules.schedule, { name, note: 'why' })
    await check('schedules.resume', 'mutation', schedules.schedule, { name })
    await check('schedules.backfill', 'mutation', backfillResponse, { name, from: 0, to: 3_600_000 })
    await check('schedules.list', 'query', schedules.schedulesResponse)
    await check('schedules.get', 'query', schedules.scheduleResponse, { name })
    await check('schedules.preview', 'query', schedules.schedulePreviewResponse, { settings: { cron: '@daily' } })
    await check('schedules.explain', 'query', schedules.scheduleExplainResponse, { name })
  })
})

/** Makes a schema reject fields that it does not describe. */
function strictly(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodArray) return z.array(strictly(z.instanceof(z.ZodType).parse(schema.element)))
  return schema instanceof z.ZodObject ? schema.strict() : schema
}
