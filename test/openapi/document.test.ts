/** The description of the API: the one in the repository is the one that is served, and it tells the truth. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { describeServer as describeApi } from '../../server/http/openapi/document.ts'
import { healthOperations } from '../../server/http/openapi/health.ts'
import * as answers from '../../shared/contracts/answers.ts'
import { call, describeServer } from '../support/server.ts'
import { FILE, openapiYaml } from './yaml.ts'

it('is in the repository as it is now; npm run openapi writes it anew', () => {
  expect(readFileSync(FILE, 'utf8')).toBe(openapiYaml())
})

it('has no reference that leads nowhere', () => {
  const document = describeApi()
  const text = JSON.stringify(document)
  const named = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name)
  const { components } = z
    .object({ components: z.object({ schemas: z.record(z.string(), z.unknown()) }) })
    .parse(document)
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((name = '') => !(name in components.schemas))).toEqual([])
})

describeServer('the description of the API', (startServer) => {
  it('is served to programs and to people, below the base path', async () => {
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

  it('says what the probes really answer', async () => {
    const { url } = await startServer()
    for (const { path, answers: described } of healthOperations) {
      const response = await fetch(`${url}${path}`)
      const schema = described[response.status]?.schema ?? z.never()
      expect([path, strictly(schema).safeParse(await response.json()).error]).toEqual([path, undefined])
    }
  })

  it('says what procedures really answer', async () => {
    const server = await startServer()
    const ask = async (name: string, kind: 'query' | 'mutation', schema: z.ZodType, input?: unknown) => {
      const { status, body } = await call(server, name, kind, input)
      expect([name, status]).toEqual([name, 200])
      return strictly(schema).parse(z.object({ result: z.object({ data: z.unknown() }) }).parse(body).result.data)
    }
    await ask('enqueueMany', 'mutation', z.array(answers.enqueueAnswer), {
      jobs: [1, 2, 3].map((payload) => ({ type: 'a', payload, backoff: { kind: 'linear' } })),
    })
    await ask('enqueue', 'mutation', answers.enqueueAnswer, { type: 'a', payload: { deep: [1] }, dedupeKey: 'k' })
    const jobs = z.array(answers.claimedJob)
    const [first, second, third] = jobs.parse(await ask('claim', 'mutation', jobs, { worker: 'w', limit: 3 }))
    const lease = (one = first) => ({ id: one?.id, version: one?.version })
    await ask('heartbeat', 'mutation', answers.heartbeatAnswer, { worker: 'w', leases: [lease()] })
    await ask('complete', 'mutation', answers.settleAnswer, { ...lease(), result: { done: true } })
    await ask('fail', 'mutation', answers.settleAnswer, { ...lease(second), error: 'no', retry: false })
    const settle = [
      { kind: 'release', ...lease(third) },
      { kind: 'complete', ...lease(third) },
    ]
    await ask('exchange', 'mutation', answers.exchangeAnswer, { worker: 'w', settle, claim: {} })
    await ask('get', 'query', answers.job, { id: first?.id })
    await ask('list', 'query', answers.listAnswer, { payloads: true })
    await ask('list', 'query', answers.listAnswer)
    await ask('stats', 'query', answers.statsAnswer)
    await ask('result', 'query', answers.resultAnswer, { ids: [first?.id, second?.id, third?.id] })
    await ask('explain', 'query', answers.explainAnswer, { id: second?.id })
    await ask('attempts', 'query', z.array(answers.attempt), { id: second?.id })
    await ask('retry', 'mutation', answers.actAnswer, { id: second?.id })
    await ask('cleanup', 'mutation', answers.cleanupAnswer, { olderThanMs: 0 })
  })
})

/** An answer with a field that is not described is wrong as well. */
function strictly(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodArray) return z.array(strictly(z.instanceof(z.ZodType).parse(schema.element)))
  return schema instanceof z.ZodObject ? schema.strict() : schema
}
