/** Contract lines of the JSON queue: three HTTP calls, their errors, settings and page. */
import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { readConfig } from '../../server/base/config/config.ts'
import { DAY, MINUTE } from '../../shared/limits.ts'
import { outcome, send } from '../rest/send.ts'
import type { TestServer } from '../support/server.ts'
import { differs, kept, type Line } from './line.ts'

/** A payload of this size fits. */
export const JSON_QUEUE_SETTINGS = { MAX_PAYLOAD_BYTES: '2000' }

const UNKNOWN = '018f6f0e-0000-7000-8000-00000000dead'
const NOT_ACTIVE = [404, { error: 'Job not found or not active' }]

export function jsonQueueLines(server: TestServer): readonly Line[] {
  const { engine } = server
  const refused = (request: string, body: unknown, error: string) => async () =>
    expect(await outcome(server, request, body)).toEqual([400, { error }])
  const post = async (type: string, data: unknown = {}) => {
    const { body } = await send(server, 'POST /api/queue', { type, data })
    return (body as { id: string }).id
  }
  const next = async () => (await send(server, 'GET /api/queue')).body as Record<string, unknown> | undefined
  const put = (id: string, body: unknown) => outcome(server, `PUT /api/queue/${id}`, body)
  const held = async (type: string) => {
    const id = await post(type)
    expect(await next()).toMatchObject({ id })
    return id
  }
  const at = { sqlite: server.place.dialect === 'sqlite' }

  return [
    kept(10, 'jobs are stored in a SQLite file', async () => {
      const id = await held('stored')
      expect(await server.place.sql(`SELECT type FROM millrace_jobs WHERE id = '${id}'`)).toEqual([{ type: 'stored' }])
      await put(id, { status: 'completed' })
    }),
    kept(11, 'three endpoints without a token', async () =>
      expect((await send(server, 'GET /api/queue')).status).toBe(204),
    ),
    differs(12, 'a dashboard page at /dashboard', 'page', async () => {
      const { status, headers } = await fetch(`${server.url}/dashboard`, { redirect: 'manual' })
      expect([status, headers.get('location')]).toEqual([302, expect.stringMatching(/\/$/)])
    }),
    kept(13, 'jobs that time out run again by themselves', 'test/rest/json-queue-timeout.test.ts'),
    differs(34, 'Next.js', 'stack'),
    kept(35, 'better-sqlite3', () => expect(readFileSync('package.json', 'utf8')).toContain('"better-sqlite3"')),
    differs(36, 'addresses are limited by the network', 'access', 'test/rest/access.test.ts'),
    kept(42, 'JOB_TIMEOUT_MINUTES is 30', () => expect(readConfig({}).defaults.leaseMs).toBe(30 * MINUTE)),
    kept(43, 'MAX_PAYLOAD_BYTES is 1048576', () => expect(readConfig({}).maxPayloadBytes).toBe(1_048_576)),
    kept(44, 'CLEANUP_AFTER_DAYS is 30', () => expect(readConfig({}).defaults.retentionMs).toBe(30 * DAY)),
    differs(50, 'a table jobs with ten columns', 'tables', async () => {
      await expect(server.place.sql('SELECT retried FROM jobs')).rejects.toThrow()
    }),
    kept(54, 'a new job is waiting', async () => {
      const { body } = await send(server, 'POST /api/queue', { type: 'new', data: 1 })
      expect(body).toMatchObject({ status: 'waiting' })
      await put(String((await next())?.id), { status: 'completed' })
    }),
    differs(57, 'a column retried counts claims', 'tables', async () => {
      await post('counted')
      const job = await next()
      expect(job).toMatchObject({ attempt: 1 })
      await put(String(job?.id), { status: 'completed' })
    }),
    differs(58, 'instants are text made by datetime()', 'tables'),
    differs(63, 'two indexes of these names', 'tables'),
    kept(71, 'POST /api/queue adds a job', async () => {
      const [status, body] = await outcome(server, 'POST /api/queue', {
        type: 'process_image',
        data: { url: '/a.jpg' },
      })
      expect([status, body]).toEqual([201, { id: expect.any(String), status: 'waiting' }])
    }),
    kept(72, 'GET /api/queue claims the next job', async () =>
      expect(await next()).toMatchObject({ type: 'process_image', data: { url: '/a.jpg' } }),
    ),
    kept(73, 'PUT /api/queue/:id ends it', async () => {
      const { jobs } = await engine.list({ status: ['processing'] })
      expect(await put(jobs[0]?.id ?? '', { status: 'completed', result: { processed: true } })).toEqual([
        200,
        { success: true },
      ])
    }),
    differs(78, 'files of a Next.js application', 'stack'),
    kept(91, 'the file is data/queue.db', () => expect(readConfig({}).url).toBe('sqlite:./data/queue.db')),
    kept(101, 'settings are whole numbers from the environment', () =>
      expect(readConfig({ JOB_TIMEOUT_MINUTES: '5' }).defaults.leaseMs).toBe(5 * MINUTE),
    ),
    kept(
      118,
      'a body that is not an object is rejected',
      refused('POST /api/queue', '7', 'Request body must be an object'),
    ),
    kept(
      124,
      'a type is a non-empty string',
      refused('POST /api/queue', { type: '', data: 1 }, 'type must be a non-empty string'),
    ),
    kept(124, 'a type is text', refused('POST /api/queue', { type: 7, data: 1 }, 'type must be a non-empty string')),
    kept(
      128,
      'a type has at most 100 characters',
      refused('POST /api/queue', { type: 'x'.repeat(101), data: 1 }, 'type must be 100 characters or less'),
    ),
    kept(127, 'a type of 100 characters is accepted', async () => {
      const id = await held('x'.repeat(100))
      await put(id, { status: 'completed' })
    }),
    kept(132, 'data is required', refused('POST /api/queue', { type: 'a' }, 'data is required')),
    kept(131, 'data may be null', async () => {
      await post('null', null)
      const job = await next()
      expect(job).toMatchObject({ data: null })
      await put(String(job?.id), { status: 'completed' })
    }),
    kept(
      138,
      'data has a largest size',
      refused('POST /api/queue', { type: 'a', data: 'x'.repeat(2_001) }, 'data exceeds 2000 bytes'),
    ),
    differs(
      137,
      'the size counts characters',
      'payload-bytes',
      refused('POST /api/queue', { type: 'a', data: 'é'.repeat(1_500) }, 'data exceeds 2000 bytes'),
    ),
    kept(
      149,
      'a PUT that is not an object is rejected',
      refused(`PUT /api/queue/${UNKNOWN}`, '7', 'Request body must be an object'),
    ),
    kept(
      155,
      'a PUT has one of two statuses',
      refused(`PUT /api/queue/${UNKNOWN}`, { status: 'done' }, 'status must be "completed" or "failed"'),
    ),
    kept(158, 'an error that is not a string is ignored', async () => {
      const id = await held('odd')
      expect(await put(id, { status: 'failed', error: 7 })).toEqual([200, { success: true }])
      expect(await engine.get({ id })).toMatchObject({ status: 'failed', error: 'Unknown error' })
    }),
    kept(171, 'the folder is made', () => expect(server.place.location).not.toBe('')),
    kept(184, 'the file is in WAL mode', async () => {
      if (at.sqlite) expect(await server.place.sql('PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }])
    }),
    kept(187, 'tables are made when they are missing', 'test/start/main.test.ts'),
    kept(216, 'SIGINT and SIGTERM close the database and end with 0', 'test/http/health-and-shutdown.test.ts'),
    kept(224, 'an id is a UUID', async () => {
      const id = await held('named')
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/)
      await put(id, { status: 'completed' })
    }),
    kept(242, 'a first timeout makes the job wait again', 'test/rest/json-queue-timeout.test.ts'),
    kept(251, 'a second timeout fails it: Timed out after retry', 'test/rest/json-queue-timeout.test.ts'),
    differs(239, 'timeouts are looked for in each GET', 'maintenance'),
    kept(261, 'the oldest job comes first', async () => {
      const ids = [await post('one'), await post('two')]
      expect([(await next())?.id, (await next())?.id]).toEqual(ids)
      for (const id of ids) await put(id, { status: 'completed' })
    }),
    differs(275, 'a claim returns id, type and data', 'extra-fields', async () => {
      const id = await post('shown', { a: 1 })
      expect(await next()).toEqual({ id, type: 'shown', data: { a: 1 }, version: 1, attempt: 1 })
      await put(id, { status: 'completed' })
    }),
    kept(270, 'a claimed job is not handed out again', async () => {
      const id = await held('once')
      expect((await send(server, 'GET /api/queue')).status).toBe(204)
      await put(id, { status: 'completed' })
    }),
    kept(288, 'a completed job keeps its result', async () => {
      const id = await held('result')
      await put(id, { status: 'completed', result: { done: true } })
      expect(await engine.get({ id })).toMatchObject({ status: 'completed', result: { done: true } })
    }),
    kept(299, 'a failed job keeps its error and is not tried again', async () => {
      const id = await held('error')
      await put(id, { status: 'failed', error: 'Something went wrong' })
      expect(await engine.get({ id })).toMatchObject({ status: 'failed', error: 'Something went wrong' })
      expect((await send(server, 'GET /api/queue')).status).toBe(204)
    }),
    kept(314, 'there are counts by status', async () => expect((await engine.counts()).completed).toBeGreaterThan(5)),
    kept(323, 'the page shows the newest 100 jobs', () =>
      expect(readFileSync('client/features/overview/RecentJobs.tsx', 'utf8')).toContain('SIZE = 100'),
    ),
    kept(344, 'completed and failed jobs are removed after CLEANUP_AFTER_DAYS', 'test/engine/services/cleaner.test.ts'),
    differs(380, 'old jobs are removed in each GET', 'maintenance'),
    kept(365, 'a POST that is not JSON is rejected', refused('POST /api/queue', '{', 'Invalid JSON')),
    kept(374, 'a POST returns 201', async () => {
      const { status, body } = await send(server, 'POST /api/queue', { type: 'made', data: {} })
      expect([status, Object.keys(body as object)]).toEqual([201, ['id', 'status']])
      await put(String((await next())?.id), { status: 'completed' })
    }),
    kept(385, 'nothing to do is 204 without a body', async () =>
      expect(await outcome(server, 'GET /api/queue')).toEqual([204, undefined]),
    ),
    kept(410, 'a PUT that is not JSON is rejected', refused(`PUT /api/queue/${UNKNOWN}`, '{', 'Invalid JSON')),
    kept(422, 'without an error it is Unknown error', async () => {
      const id = await held('silent')
      await put(id, { status: 'failed' })
      expect(await engine.get({ id })).toMatchObject({ error: 'Unknown error' })
    }),
    kept(426, 'an unknown or finished job is 404', async () => {
      expect(await put(UNKNOWN, { status: 'completed' })).toEqual(NOT_ACTIVE)
      const id = await held('twice')
      await put(id, { status: 'completed' })
      expect(await put(id, { status: 'completed' })).toEqual(NOT_ACTIVE)
    }),
    kept(429, 'success is {"success": true}', async () =>
      expect(await put(await held('success'), { status: 'completed' })).toEqual([200, { success: true }]),
    ),
    differs(448, 'the page counts Waiting, Active, Completed and Failed', 'page', 'test/browser/live.test.ts'),
    differs(467, 'the page shows the first 8 characters of an id', 'page'),
    kept(491, 'an example of the settings is in .env.example', () => {
      const text = readFileSync('.env.example', 'utf8')
      for (const line of ['JOB_TIMEOUT_MINUTES=30', 'MAX_PAYLOAD_BYTES=1048576', 'CLEANUP_AFTER_DAYS=30']) {
        expect(text).toContain(line)
      }
    }),
    kept(500, 'data/ is not part of the repository', () =>
      expect(readFileSync('.gitignore', 'utf8')).toMatch(/^\/?data\/?$/m),
    ),
    kept(533, 'a worker of this form works', 'test/rest/documents.test.ts'),
    kept(586, 'calls by curl in this form work', 'test/rest/documents.test.ts'),
  ]
}
