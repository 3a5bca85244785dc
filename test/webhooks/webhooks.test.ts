/** Webhooks of a server with a real receiver: signature, retries, restarts, kill -9. */
import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { WEBHOOK_TYPE } from '../../shared/reserved-types.ts'
import { compiled } from '../support/compiled/compiled.ts'
import { held, until } from '../support/engine.ts'
import { describeServer, type TestServer } from '../support/server.ts'
import { isSigned, startReceiver } from './receiver.ts'

const SECRET = 'sixteen-characters-at-least'

async function failOne({ engine }: Pick<TestServer, 'engine'>, type = 'mail'): Promise<string> {
  const job = await held(engine, { type, payload: { secret: 'of the customer' } })
  await engine.fail({ id: job.id, version: job.version, error: 'no route', retry: false })
  return job.id
}

const noticesIn = async ({ engine }: TestServer, status: 'completed' | 'retrying' | 'pending' | 'failed') =>
  (await engine.list({ type: WEBHOOK_TYPE, status: [status] })).jobs

describeServer('webhooks', (startServer) => {
  it('a webhook arrives signed, with its own id and without the payload', async () => {
    const receiver = await startReceiver()
    const server = await startServer({ DURABILITY: 'normal' })
    const set = { webhookUrl: `${receiver.url}/all`, webhookUrls: { 'sms.': `${receiver.url}/sms` } }
    await server.engine.updateSettings({ set: { ...set, webhookSecret: SECRET } })
    const id = await failOne(server)
    await until(() => receiver.deliveries.length === 1)
    const [delivery] = receiver.deliveries
    if (!delivery) throw new Error('nothing was delivered')
    await until(async () => (await noticesIn(server, 'completed')).length === 1)
    const [notice] = await noticesIn(server, 'completed')
    expect(delivery).toMatchObject({
      method: 'POST',
      path: '/all',
      headers: {
        'content-type': 'application/json',
        'millrace-event': 'job.failed',
        'millrace-webhook-id': notice?.id,
        'user-agent': expect.stringMatching(/^millrace\//),
      },
      body: {
        id: notice?.id,
        event: 'job.failed',
        job: { id, type: 'mail', attempts: 1, error: 'no route', failedAt: expect.any(Number) },
      },
    })
    expect(delivery.text).not.toContain('customer')
    expect([isSigned(delivery, SECRET), isSigned(delivery, `${SECRET}!`)]).toEqual([true, false])
    await failOne(server, 'sms.reminder')
    await until(() => receiver.deliveries.length === 2)
    expect(receiver.deliveries[1]?.path).toBe('/sms')
    expect(server.logText()).not.toContain(SECRET)
  })

  it('a webhook is retried under the same id, also by the next server, and does not follow redirects', async () => {
    const [receiver, elsewhere] = [await startReceiver(), await startReceiver()]
    receiver.answers.push({ status: 500 }, { status: 302, headers: { location: elsewhere.url } })
    const first = await startServer({ DURABILITY: 'normal' })
    await first.engine.updateSettings({ set: { webhookUrl: receiver.url } })
    await failOne(first)
    await until(async () => (await noticesIn(first, 'retrying')).length === 1)
    const [notice] = await noticesIn(first, 'retrying')
    expect(notice?.error).toBe(`${receiver.host} responded with status 500`)
    await first.close()

    const second = await startServer({ DURABILITY: 'normal' }, { place: first.place })
    await second.engine.runNow({ id: notice?.id ?? '' })
    await until(
      async () =>
        (await second.engine.get({ id: notice?.id ?? '' })).error === `${receiver.host} responded with status 302`,
    )
    await until(async () => (await noticesIn(second, 'retrying')).length === 1)
    await second.engine.runNow({ id: notice?.id ?? '' })
    await until(async () => (await noticesIn(second, 'completed')).length === 1)
    expect(receiver.deliveries.map(({ headers }) => headers['millrace-webhook-id'])).toEqual(
      Array.from({ length: 3 }, () => notice?.id),
    )
    expect(elsewhere.deliveries).toEqual([])
    expect(receiver.deliveries[0]?.headers).not.toHaveProperty('millrace-signature')
  })

  it('a webhook is delivered by the next server when the process dies after the acknowledgement', async () => {
    const receiver = await startReceiver()
    const server = await startServer({ DURABILITY: 'normal' })
    await server.close()
    const program = compiled('test/webhooks/dying-program')
    const died = spawnSync(process.execPath, [program, server.place.url(), receiver.url], { encoding: 'utf8' })
    expect([died.signal, died.stderr]).toEqual(['SIGKILL', ''])
    const next = await startServer({ DURABILITY: 'normal' }, { place: server.place })
    await until(() => receiver.deliveries.length === 1)
    await until(async () => (await noticesIn(next, 'completed')).length === 1)
    expect(receiver.deliveries[0]?.body).toMatchObject({ job: { id: died.stdout } })
  })

  it('open deliveries are skipped after the webhook is removed, and no worker starts without webhooks', async () => {
    const server = await startServer({ DURABILITY: 'normal' })
    const unused = await startReceiver()
    await failOne(server)
    expect([await server.engine.workers(), unused.deliveries]).toEqual([
      [expect.objectContaining({ name: 'worker-1' })],
      [],
    ])
    const job = await held(server.engine)
    await server.engine.updateSettings({ set: { webhookUrl: unused.url, paused: true } })
    await server.engine.fail({ id: job.id, version: job.version, error: 'no route', retry: false })
    await server.engine.updateSettings({ set: { paused: false }, clear: ['webhookUrl'] })
    await until(async () => (await noticesIn(server, 'completed')).length === 1)
    const [notice] = await noticesIn(server, 'completed')
    expect((await server.engine.get({ id: notice?.id ?? '' })).result).toEqual({
      skipped: 'no webhook is configured for this type any more',
    })
  })
})
