/** Requests that the task API rejects: texts, statuses, and no changes. */
import { expect, it } from 'vitest'
import { limits, SECOND } from '../../shared/limits.ts'
import { describeRest, outcome, send } from './send.ts'

const UNKNOWN = '018f6f0e-0000-7000-8000-00000000dead'
const LATER = 4_000_000_000
const NO_IDS = ['GET', 'DELETE'].flatMap((method) =>
  [UNKNOWN, 'seven', '%zz', '%00'].map((id) => `${method} /api/tasks/${id}`),
)

const error = (status: number, text: unknown = expect.any(String)) => [status, { error: text }]

describeRest('the task API', (startServer) => {
  it('the task API rejects invalid requests and changes nothing', async () => {
    const server = await startServer({ MAX_PAYLOAD_BYTES: '30' })
    const object =
      'Request body must be an object; send one like {"type": "send_email", "payload": {"to": "ada@example.com"}}.'
    const last = Math.floor(limits.instant / SECOND)
    const when = `run_after must be a Unix timestamp in whole seconds, from 0 to ${last}.`
    const statuses = 'status must be one or more of to-do, in-progress, success and failed.'
    const noJob = expect.stringMatching(/^There is no task /)
    const rate = 'Send rps, the tasks per second; null takes the limit away.'
    const cases: readonly [request: string, body: unknown, expected: unknown][] = [
      ['POST /api/tasks', '', error(400, 'Invalid JSON')],
      ['POST /api/tasks', '[]', error(400, object)],
      ['POST /api/tasks', 'null', error(400, object)],
      ['POST /api/tasks', { payload: 1 }, error(400, 'type must be a non-empty string.')],
      ['POST /api/tasks', { type: 7, payload: 1 }, error(400, 'type must be a non-empty string.')],
      ['POST /api/tasks', { type: 'a' }, error(400, 'payload is required.')],
      ['POST /api/tasks', { type: 'a', payload: 1, options: 7 }, error(400, 'options must be an object.')],
      ['POST /api/tasks', { type: 'a', payload: 1, run_after: '2025-12-31' }, error(400, when)],
      ['POST /api/tasks', { type: 'a', payload: 1, run_after: 1.5 }, error(400, when)],
      ['POST /api/tasks', { type: 'a', payload: 1, run_after: -1 }, error(400, when)],
      ['POST /api/tasks', { type: 'a', payload: 1, run_after: LATER * 1_000 }, error(400, when)],
      ['POST /api/tasks', { type: 'a', payload: 1, options: { run_after: true } }, error(400, when)],
      [
        'POST /api/tasks',
        { type: 'a', payload: 'x'.repeat(29) },
        error(413, 'payload is 31 bytes, more than 30; store it elsewhere and send a reference.'),
      ],
      ['GET /api/tasks?status=done', undefined, error(400, statuses)],
      ['GET /api/tasks?status=', undefined, error(400, statuses)],
      ['GET /api/tasks?limit=0', undefined, error(400, 'limit must be a whole number from 1 to 200.')],
      ['GET /api/tasks?limit=201', undefined, error(400, 'limit must be a whole number from 1 to 200.')],
      ['GET /api/tasks?offset=-1', undefined, error(400, 'offset must be a whole number from 0 to 10000.')],
      ['GET /api/tasks?offset=1&offset=2', undefined, error(400, 'offset is there 2 times; send it once.')],
      ['GET /api/tasks?type=', undefined, error(400)],
      [
        'GET /api/tasks?state=failed',
        undefined,
        error(400, 'There is no parameter state here; there are type, status, status[], limit, offset.'),
      ],
      ['DELETE /api/tasks?olderThan=1', undefined, error(400, expect.stringContaining('no parameter olderThan'))],
      ['GET /api/queue?types=a', undefined, error(400, expect.stringContaining('no parameter types'))],
      ['GET /v1/messages?count=9', undefined, error(400, expect.stringContaining('no parameter count'))],
      [
        'DELETE /api/tasks?older_than=x',
        undefined,
        error(400, 'older_than must be a whole number from 0 to 315360000.'),
      ],
      ['POST /api/tasks/rate-limit', {}, error(400, rate)],
      ['POST /api/tasks/rate-limit', { rps: 1, rate: 1 }, error(400, rate)],
      ['POST /api/tasks/rate-limit', { rps: '1' }, error(400, 'rps must be a number of tasks per second, or null.')],
      ['POST /api/tasks/rate-limit', { rps: 0 }, error(400, expect.stringMatching(/^rps: /))],
      ['POST /api/tasks/rate-limit', '7', error(400, 'Request body must be an object; send one like {"rps": 10}.')],
      ...NO_IDS.map((request): [string, unknown, unknown] => [request, undefined, error(404, noJob)]),
      [`POST /api/tasks/${UNKNOWN}/retry`, undefined, error(404)],
      [`POST /api/tasks/seven/cancel`, undefined, error(404)],
      [`POST /api/tasks/${UNKNOWN}/explode`, undefined, error(404)],
      ['GET /api/task-queue', undefined, error(404)],
      ['GET /api/task-queue/stats', undefined, error(404)],
    ]
    for (const [request, body, expected] of cases) {
      expect([request, body, await outcome(server, request, body)]).toEqual([request, body, expected])
    }
    expect([(await server.engine.list()).jobs, await server.engine.types(), await server.engine.settings()]).toEqual([
      [],
      [],
      {},
    ])
  })

  it('the task API lists its methods in Allow', async () => {
    const server = await startServer()
    const allowed: Record<string, unknown> = {}
    for (const path of ['', '/stats', '/pause', '/resume', '/rate-limit', `/${UNKNOWN}`, `/${UNKNOWN}/retry`]) {
      const { status, headers } = await send(server, `PATCH /api/tasks${path}`)
      allowed[path] = [status, headers.get('allow')]
    }
    expect(allowed).toEqual({
      '': [405, 'GET, POST, DELETE'],
      '/stats': [405, 'GET'],
      '/pause': [405, 'POST'],
      '/resume': [405, 'POST'],
      '/rate-limit': [405, 'POST'],
      [`/${UNKNOWN}`]: [405, 'GET, DELETE'],
      [`/${UNKNOWN}/retry`]: [405, 'POST'],
    })
  })
})
