/** A client generated from the OpenAPI document compiles, rejects wrong types and works. */
import { execFile } from 'node:child_process'
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, expect, it } from 'vitest'
import { describeServer } from '../support/server.ts'
import { makeTempFolder } from '../support/temp.ts'
import { FILE } from './yaml.ts'

const PARTS = fileURLToPath(new URL('../parts/node_modules', import.meta.url))
const run = promisify(execFile)

const PROGRAM = `
import createClient from 'openapi-fetch'
import type { paths } from './api.js'

declare const process: { readonly argv: readonly string[] }
const client = createClient<paths>({ baseUrl: process.argv[2] })
const posted = await client.POST('/api/queue', { body: { type: 'resize', data: { width: 7 } } })
const taken = await client.GET('/api/queue', { params: { query: { type: 'resize' } } })
const job = taken.data
if (!job) throw new Error('no job')
const put = await client.PUT('/api/queue/{id}', {
  params: { path: { id: job.id } },
  body: { status: 'completed', result: 'done', version: job.version },
})
const again = await client.PUT('/api/queue/{id}', { params: { path: { id: job.id } }, body: { status: 'failed' } })
const task = await client.GET('/api/tasks/{id}', { params: { path: { id: job.id } } })
const message = await client.POST('/v1/messages', { body: { body: 'hello' } })
const messages = await client.GET('/v1/messages', { params: { query: { limit: 5 } } })
const enqueued = await client.POST('/trpc/enqueue', { body: { type: 'mail', payload: { to: 'ada' }, delayMs: 1000 } })
const wrong = await client.POST('/trpc/enqueue', { body: { type: '', payload: 1 } })
console.log(
  JSON.stringify({
    posted: posted.data?.status,
    same: posted.data?.id === job.id,
    attempt: job.attempt,
    put: put.data,
    again: [again.response.status, again.error?.error],
    task: [task.data?.status, task.data?.result],
    message: message.data?.body,
    messages: messages.data?.map(({ body }) => body),
    enqueued: enqueued.data?.result.data.status,
    wrong: wrong.error?.error.data.queueCode,
  }),
)
`

const WRONG = `
import createClient from 'openapi-fetch'
import type { paths } from './api.js'

const client = createClient<paths>({ baseUrl: '' })
await client.POST('/api/queue', { body: { type: 7, data: 1 } })
`

let folder = ''

beforeAll(async () => {
  const made = await makeTempFolder()
  folder = made.path
  await symlink(PARTS, join(folder, 'node_modules'), 'dir')
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  await writeFile(join(folder, 'program.ts'), PROGRAM)
  await writeFile(join(folder, 'wrong.ts'), WRONG)
  const generator = join(PARTS, 'openapi-typescript/bin/cli.js')
  // Fields with a default are optional in requests.
  const flags = ['--default-non-nullable', 'false', '-o', join(folder, 'api.d.ts')]
  await run(process.execPath, [generator, FILE, ...flags])
  await compile('program.ts')
  return () => made.remove()
}, 60_000)

function compile(file: string) {
  const flags = ['--strict', '--target', 'es2022', '--module', 'nodenext', '--lib', 'es2023,dom', '--typeRoots', 'none']
  return run(process.execPath, [join(PARTS, 'typescript/bin/tsc'), file, ...flags], { cwd: folder })
}

it('a generated client rejects wrong types at compile time', async () => {
  const refused = await compile('wrong.ts').catch((error: { stdout: string }) => error)
  expect(refused.stdout).toMatch(/wrong\.ts\(6,\d+\): error TS2322: Type 'number' is not assignable to type 'string'/)
}, 60_000)

describeServer('a generated client', (startServer) => {
  it('posts, claims and settles a job', async () => {
    const { url } = await startServer()
    const ran = await run(process.execPath, ['program.js', url], { cwd: folder })
    expect(JSON.parse(ran.stdout)).toEqual({
      posted: 'waiting',
      same: true,
      attempt: 1,
      put: { success: true },
      again: [404, 'Job not found or not active'],
      task: ['success', 'done'],
      message: 'hello',
      messages: ['hello'],
      enqueued: 'scheduled',
      wrong: 'BAD_INPUT',
    })
  }, 60_000)
})
