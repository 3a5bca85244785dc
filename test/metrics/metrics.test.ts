/** `/metrics` of a server: format, values for known traffic, monotonic counters, access. */
import { expect, it } from 'vitest'
import { openQueue } from '../../server/sdk/open-queue.ts'
import { held, take, until } from '../support/engine.ts'
import { describeServer, type TestServer } from '../support/server.ts'
import { type Family, parseMetrics } from './parse.ts'

type Families = Map<string, Family>

async function scrape({ url }: Pick<TestServer, 'url'>, headers: Record<string, string> = {}): Promise<Families> {
  const response = await fetch(`${url}/metrics`, { headers })
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ])
  return parseMetrics(await response.text())
}

function value(families: Families, series: string): number | undefined {
  const name = series.replace(/\{.*/s, '')
  const family = families.get(name) ?? families.get(name.replace(/_(?:bucket|sum|count)$/, ''))
  return family?.samples.get(series)
}

const values = (families: Families, ...series: readonly string[]) =>
  Object.fromEntries(series.map((one) => [one, value(families, one)]))

/** Two jobs complete, one attempt fails and waits, one job fails permanently, one is released, one waits, one is a duplicate. */
async function traffic({ engine }: TestServer): Promise<void> {
  for (let n = 0; n < 2; n++) {
    const { id, version } = await held(engine, { type: 'mail' })
    await engine.complete({ id, version })
  }
  const again = await held(engine, { type: 'mail' })
  await engine.fail({ id: again.id, version: again.version, error: 'busy', retryInMs: 60_000 })
  const dead = await held(engine, { type: 'fax "7"' }, { types: ['fax "7"'] })
  await engine.fail({ id: dead.id, version: dead.version, error: 'no route', retry: false })
  const back = await held(engine, { type: 'sms' }, { types: ['sms'] })
  await engine.release({ id: back.id, version: back.version })
  for (let n = 0; n < 2; n++) await engine.enqueue({ type: 'note', payload: {}, dedupeKey: 'once' })
}

describeServer('metrics', (startServer) => {
  it('/metrics has the counters of this process and the gauges of the queue', async () => {
    const server = await startServer({ DURABILITY: 'normal' })
    await traffic(server)
    const read = await scrape(server)
    expect(
      values(
        read,
        'millrace_jobs_enqueued_total{type="mail"}',
        'millrace_jobs_enqueued_total{type="note"}',
        'millrace_jobs_claimed_total{type="mail"}',
        'millrace_jobs_completed_total{type="mail"}',
        'millrace_attempts_failed_total{type="mail"}',
        'millrace_jobs_dead_total{type="mail"}',
        'millrace_job_wait_seconds_count{type="mail"}',
        'millrace_job_run_seconds_count{type="mail"}',
        'millrace_jobs_claimed_total{type="sms"}',
        'millrace_job_run_seconds_count{type="sms"}',
        'millrace_attempts_failed_total{type="sms"}',
        'millrace_attempts_failed_total{type="fax \\"7\\""}',
        'millrace_jobs_dead_total{type="fax \\"7\\""}',
      ),
    ).toEqual({
      'millrace_jobs_enqueued_total{type="mail"}': 3,
      'millrace_jobs_enqueued_total{type="note"}': 1,
      'millrace_jobs_claimed_total{type="mail"}': 3,
      'millrace_jobs_completed_total{type="mail"}': 2,
      'millrace_attempts_failed_total{type="mail"}': 1,
      'millrace_jobs_dead_total{type="mail"}': 0,
      'millrace_job_wait_seconds_count{type="mail"}': 3,
      'millrace_job_run_seconds_count{type="mail"}': 3,
      'millrace_jobs_claimed_total{type="sms"}': 1,
      'millrace_job_run_seconds_count{type="sms"}': 0,
      'millrace_attempts_failed_total{type="sms"}': 0,
      'millrace_attempts_failed_total{type="fax \\"7\\""}': 1,
      'millrace_jobs_dead_total{type="fax \\"7\\""}': 1,
    })
    expect(
      values(
        read,
        'millrace_jobs{type="mail",status="completed"}',
        'millrace_jobs{type="mail",status="retrying"}',
        'millrace_jobs{type="note",status="pending"}',
        'millrace_jobs{type="sms",status="pending"}',
        'millrace_jobs{type="fax \\"7\\"",status="failed"}',
        'millrace_database_up',
        'millrace_queued_writes',
        'millrace_event_streams',
        'millrace_upkeep_leader',
      ),
    ).toEqual({
      'millrace_jobs{type="mail",status="completed"}': 2,
      'millrace_jobs{type="mail",status="retrying"}': 1,
      'millrace_jobs{type="note",status="pending"}': 1,
      'millrace_jobs{type="sms",status="pending"}': 1,
      'millrace_jobs{type="fax \\"7\\"",status="failed"}': 1,
      millrace_database_up: 1,
      millrace_queued_writes: 0,
      millrace_event_streams: 0,
      millrace_upkeep_leader: 1,
    })
    expect(value(read, 'millrace_database_size_bytes')).toBeGreaterThan(0)
    expect(value(read, 'millrace_commit_operations_count')).toBe(value(read, 'millrace_commit_duration_seconds_count'))
    expect([...read.keys()]).toEqual(
      expect.arrayContaining([
        'process_resident_memory_bytes',
        'nodejs_eventloop_lag_p99_seconds',
        'millrace_build_info',
      ]),
    )
    expect(read.get('millrace_oldest_ready_job_age_seconds')?.samples.size).toBe(4)
  })

  it('counters never decrease between scrapes', async () => {
    const server = await startServer({ DURABILITY: 'normal' })
    const waiting = server.engine.claim({ worker: 'waiter', types: ['never'], waitMs: 30_000 })
    await until(() => server.engine.load.waitingClaims === 1)
    let before = await scrape(server)
    expect(value(before, 'millrace_waiting_claims')).toBe(1)
    for (let round = 0; round < 3; round++) {
      await traffic(server)
      await take(server.engine, { types: ['sms'] })
      const after = await scrape(server)
      const shrunk = [...before].flatMap(([name, { type, samples }]) =>
        type === 'gauge' ? [] : [...samples].filter(([series, n]) => (after.get(name)?.samples.get(series) ?? -1) < n),
      )
      expect(shrunk).toEqual([])
      before = after
    }
    expect(value(before, 'millrace_jobs_completed_total{type="mail"}')).toBe(6)
    expect(value(before, 'millrace_http_requests_total{route="metrics",status="200"}')).toBeGreaterThan(0)
    server.engine.stopWaiting()
    expect(await waiting).toEqual([])
  })

  it('two nodes have the same gauges and their own counters', async () => {
    const first = await startServer({ DURABILITY: 'normal' })
    if (first.place.dialect === 'sqlite') {
      // A file has one server, so the second node is an embedded engine.
      const other = await openQueue(first.place.url(), { services: false })
      await other.enqueue({ type: 'mail', payload: {} })
      await other.close()
      const read = await scrape(first)
      expect(value(read, 'millrace_jobs{type="mail",status="pending"}')).toBe(1)
      expect(value(read, 'millrace_jobs_enqueued_total{type="mail"}')).toBeUndefined()
      return
    }
    const second = await startServer({ DURABILITY: 'normal' }, { place: first.place })
    await first.engine.enqueue({ type: 'mail', payload: {} })
    await second.engine.enqueue({ type: 'mail', payload: {} })
    const all = [await scrape(first), await scrape(second)]
    expect(all.map((read) => value(read, 'millrace_jobs{type="mail",status="pending"}'))).toEqual([2, 2])
    expect(all.map((read) => value(read, 'millrace_jobs_enqueued_total{type="mail"}'))).toEqual([1, 1])
  })

  it('requests are counted by route class and status, for any path', async () => {
    const server = await startServer({ DURABILITY: 'normal', BASE_PATH: '/queue' })
    const asked = ['/health', '/trpc/stats', '/trpc/nope', '/one', '/two?x=1', '/metricsandmore']
    for (const path of asked) await (await fetch(`${server.url}${path}`)).text()
    const counted = async () => {
      const samples = [...((await scrape(server)).get('millrace_http_requests_total')?.samples ?? [])]
      return samples.filter(([series]) => !series.includes('"metrics"'))
    }
    // A response is counted when the server has finished it, which may be after the client has read it.
    await until(async () => (await counted()).reduce((sum, [, n]) => sum + n, 0) === asked.length)
    expect(Object.fromEntries(await counted())).toEqual({
      'millrace_http_requests_total{route="health",status="200"}': 1,
      'millrace_http_requests_total{route="trpc",status="200"}': 1,
      'millrace_http_requests_total{route="trpc",status="404"}': 1,
      'millrace_http_requests_total{route="other",status="404"}': 3,
    })
  })

  it('/metrics requires a token with the scope read and without a type prefix', async () => {
    const server = await startServer({ DURABILITY: 'normal', AUTH_TOKEN: 'owner' })
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
    const token = async (scopes: readonly ('read' | 'work' | 'produce' | 'admin')[], typePrefix?: string) =>
      (
        await server.engine.createToken({
          name: `${scopes} ${typePrefix}`,
          scopes: [...scopes],
          ...(typePrefix && { typePrefix }),
        })
      ).token
    const status = async (headers: Record<string, string>) => {
      const response = await fetch(`${server.url}/metrics`, { headers })
      await response.text()
      return response.status
    }
    const read = await token(['read'])
    const others = await token(['work', 'produce', 'admin'])
    const some = await token(['read'], 'mail')
    expect([
      await status({}),
      await status(bearer('wrong')),
      await status(bearer(others)),
      await status(bearer(some)),
    ]).toEqual([401, 401, 403, 403])
    expect(value(await scrape(server, bearer(read)), 'millrace_database_up')).toBe(1)
    expect(value(await scrape(server, bearer('owner')), 'millrace_database_up')).toBe(1)
  })

  it('/metrics omits the gauges while the database cannot be read', async () => {
    const server = await startServer({ DURABILITY: 'normal' }, { spoilt: true })
    await traffic(server)
    await server.engine.close()
    const read = await scrape(server)
    expect([value(read, 'millrace_database_up'), read.has('millrace_jobs')]).toEqual([0, false])
    expect(value(read, 'millrace_jobs_completed_total{type="mail"}')).toBe(2)
  })
})
