/** `worker start` as a process: token, types and exit. */
import { expect, it } from 'vitest'
import { VERSION } from '../../server/base/version.ts'
import { sqlite } from '../support/places.ts'
import { startOn } from '../support/server.ts'
import { addCommand, file } from './support/homes.ts'
import { queuectl } from './support/queuectl.ts'

const TOKEN = 'a-secret-of-thirty-two-characters'

it('works with a server that requires a token, and hides the token from commands', async () => {
  const { url, engine } = await startOn(sqlite)({ AUTH_TOKEN: TOKEN })
  const show = 'echo "[$AUTH_TOKEN] [$GREETING]"; env | grep -c thirty-two'
  const id = await addCommand(engine, { command: `${show}; true` })
  const workers = await queuectl.startWorkersWith({ AUTH_TOKEN: TOKEN, GREETING: 'hello' }, url)
  await workers.waitFor((event) => event.kind === 'success' && event.id === id)
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

it('claims the given types, also before they exist', async () => {
  const { url, queue } = await file.open()
  const other = await addCommand(queue, { command: 'echo other' }, { type: 'other' })
  const only = ['--types', 'backup,report', '--concurrency', '3', '--name', 'some']
  const workers = await queuectl.startWorkers(url, ...only)
  await expect
    .poll(async () => (await queue.workers()).map((one) => [one.types, one.slots, one.version]), { timeout: 20_000 })
    .toEqual([[['backup', 'report'], 3, `millrace ${VERSION}`]])
  const backup = await addCommand(queue, { command: 'echo backup' }, { type: 'backup' })
  await workers.waitFor((event) => event.kind === 'success' && event.id === backup)
  expect(await queue.get({ id: other })).toMatchObject({ status: 'pending', version: 0 })
  expect(await queuectl.run(url, 'worker', 'stop', '--name', 'some')).toMatchObject({ exitCode: 0 })
  expect(await workers.ended).toBe(0)
}, 60_000)

it('exits cleanly when its stdout is closed', async () => {
  const { url, queue } = await file.open()
  const workers = await queuectl.startWorkers(url)
  const first = await addCommand(queue, { command: 'true' })
  await workers.waitFor((event) => event.kind === 'success' && event.id === first)
  workers.child.stdout?.destroy()
  await addCommand(queue, { command: 'true' })
  expect(await workers.ended).toBe(0)
}, 60_000)
