/** The documented calls work: with curl, and in a worker program that polls. */
import { execFile, spawn } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { until } from '../support/engine.ts'
import type { TestServer } from '../support/server.ts'
import { describeRest, send } from './send.ts'

/** Runs a documented shell line; `replacements` maps its placeholder addresses and tokens to real ones. */
async function shell(line: string, replacements: Readonly<Record<string, string>>): Promise<unknown> {
  const command = Object.entries(replacements).reduce((text, [from, to]) => text.replaceAll(from, to), line)
  const { stdout } = await promisify(execFile)('sh', ['-c', command])
  return stdout === '' ? undefined : JSON.parse(stdout)
}

describeRest('the documented curl lines', (startServer) => {
  it('the documented curl lines of /api/queue add, get, complete and fail a job', async () => {
    const server = await startServer()
    const here = { 'http://localhost:3000': server.url }
    const add = `curl -X POST http://localhost:3000/api/queue \\
  -H "Content-Type: application/json" \\
  -d '{"type": "shrink", "data": {"path": "/pictures/7.jpg"}}'`
    const get = 'curl http://localhost:3000/api/queue'
    const complete = `curl -X PUT http://localhost:3000/api/queue/JOB_ID \\
  -H "Content-Type: application/json" \\
  -d '{"status": "completed", "result": {"width": 80}}'`
    const fail = `curl -X PUT http://localhost:3000/api/queue/JOB_ID \\
  -H "Content-Type: application/json" \\
  -d '{"status": "failed", "error": "no such picture"}'`
    const outcomes = []
    for (const settle of [complete, fail]) {
      const added = (await shell(add, here)) as { id: string }
      expect(added).toEqual({ id: expect.any(String), status: 'waiting' })
      expect(await shell(get, here)).toMatchObject({ id: added.id, data: { path: '/pictures/7.jpg' } })
      expect(await shell(settle, { ...here, JOB_ID: added.id })).toEqual({ success: true })
      const { status, result, error } = await server.engine.get({ id: added.id })
      outcomes.push([status, result, error])
    }
    expect(outcomes).toEqual([
      ['completed', { width: 80 }, null],
      ['failed', null, 'no such picture'],
    ])
    expect(await shell(get, here)).toBeUndefined()
  })

  it('the documented curl lines of /v1/messages post and get a message, with a token', async () => {
    const server = await startServer({ AUTH_TOKEN: 'with-curl' })
    const here = { 'localhost:8080': server.url.replace('http://', ''), A_TOKEN: 'with-curl' }
    const post = `curl -s -X POST localhost:8080/v1/messages \\
  -H 'Content-Type: application/json' \\
  -H 'Authorization: Bearer A_TOKEN' \\
  -d '{"body":"hello"}'`
    const get = `curl -s 'localhost:8080/v1/messages' \\
  -H 'Authorization: Bearer A_TOKEN'`
    const posted = await shell(post, here)
    expect(posted).toEqual({ id: 1, timestamp: expect.stringMatching(/^\d{4}-.*T.*\.\d{3}Z$/), body: 'hello' })
    expect([await shell(get, here), await shell(get, here)]).toEqual([[posted], []])
    expect(await shell(get, { ...here, A_TOKEN: 'another' })).toEqual({ error: expect.stringContaining('token') })
  })
})

async function runWorker({ url }: TestServer): Promise<() => string> {
  const child = spawn(process.execPath, ['test/rest/worker-program.mjs', url], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
    })
  }
  const ended = new Promise((resolve) => child.once('close', resolve))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return () => output
}

describeRest('a worker program that polls /api/queue', (startServer) => {
  it('a worker program that polls /api/queue completes jobs and fails those that throw', async () => {
    const server = await startServer()
    const output = await runWorker(server)
    const post = async (type: string, name: string) =>
      ((await send(server, 'POST /api/queue', { type, data: { name } })).body as { id: string }).id
    const ids = [await post('image', 'one'), await post('broken', 'two'), await post('image', 'three')]
    await until(async () => {
      const { completed, failed } = await server.engine.counts()
      return completed + failed === 3
    })
    const jobs = await Promise.all(ids.map((id) => server.engine.get({ id })))
    expect(jobs.map(({ status, result, error }) => [status, result, error])).toEqual([
      ['completed', { done: true }, null],
      ['failed', null, 'cannot do two'],
      ['completed', { done: true }, null],
    ])
    expect(output().trim().split('\n')).toEqual(
      ['image', 'broken', 'image'].map((type, n) => `working on ${ids[n]} ${type}`),
    )
  })
})
