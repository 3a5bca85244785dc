/** `worker start` as a program: whom it lets in on its secrets, what it takes, and who may end it. */
import { expect, it } from 'vitest'
import { VERSION } from '../../server/base/version.ts'
import { sqlite } from '../support/places.ts'
import { startOn } from '../support/server.ts'
import { addCommand, file } from './homes.ts'
import { queuectl } from './queuectl.ts'

const TOKEN = 'a-secret-of-thirty-two-characters'

it('works for a server that asks for a token, and keeps the token to itself', async () => {
  const { url, engine } = await startOn(sqlite)({ AUTH_TOKEN: TOKEN })
  const show = 'echo "[$AUTH_TOKEN] [$GREETING]"; env | grep -c thirty-two'
  const id = await addCommand(engine, { command: `${show}; true` })
  const workers = await queuectl.startWorkersWith({ AUTH_TOKEN: TOKEN, GREETING: 'hello' }, url)
  await workers.heard((event) => event.kind === 'success' && event.id === id)
  expect(await engine.get({ id })).toMatchObject({ result: { stdout: '[] [hello]\n0' } })
  workers.child.kill('SIGINT')
  expect(await workers.ended).toBe(0)
}, 60_000)

it('does not start with the wrong token', async () => {
  const { url } = await startOn(sqlite)({ AUTH_TOKEN: TOKEN })
  const workers = await queuectl.startWorkersWith({ AUTH_TOKEN: 'another-secret-of-many-characters' }, url)
  expect(await workers.ended).toBe(1)
  expect(workers.stderr()).toMatch(/token/)
}, 60_000)

it('takes the types it was given, also before there are any', async () => {
  const { url, queue } = await file.open()
  const other = await addCommand(queue, { command: 'echo other' }, { type: 'other' })
  const only = ['--types', 'backup,report', '--concurrency', '3', '--name', 'some']
  const workers = await queuectl.startWorkers(url, ...only)
  await expect
    .poll(async () => (await queue.workers()).map((one) => [one.types, one.slots, one.version]), { timeout: 20_000 })
    .toEqual([[['backup', 'report'], 3, `millrace ${VERSION}`]])
  const backup = await addCommand(queue, { command: 'echo backup' }, { type: 'backup' })
  await workers.heard((event) => event.kind === 'success' && event.id === backup)
  expect(await queue.get({ id: other })).toMatchObject({ status: 'pending', version: 0 })
  expect(await queuectl.run(url, 'worker', 'stop', '--name', 'some')).toMatchObject({ exitCode: 0 })
  expect(await workers.ended).toBe(0)
}, 60_000)

it('ends in good order when nobody reads its events any more', async () => {
  const { url, queue } = await file.open()
  const workers = await queuectl.startWorkers(url)
  const first = await addCommand(queue, { command: 'true' })
  await workers.heard((event) => event.kind === 'success' && event.id === first)
  workers.child.stdout?.destroy()
  await addCommand(queue, { command: 'true' })
  expect(await workers.ended).toBe(0)
}, 60_000)
