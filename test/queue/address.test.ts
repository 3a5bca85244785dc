/** URLs that are missing or end in /trpc, and calls after close. */
import { describe, expect, it } from 'vitest'
import { createClient } from '../../server/sdk/create-client.ts'
import { openQueue } from '../../server/sdk/open-queue.ts'
import { refused } from '../support/engine.ts'
import { sqlite } from '../support/places.ts'
import { refusal } from '../support/refusal.ts'
import { startOn } from '../support/server.ts'

/** As `process.env.QUEUE_URL` without a check, in a program that is not strict. */
const missing: string = JSON.parse('{}').url

describe('an address', () => {
  it.each([
    ['undefined', missing],
    ['empty', ''],
  ])('that is %s is refused, and the message contains that', async (name, url) => {
    expect(await refused(openQueue(url))).toMatchObject({ code: 'BAD_INPUT', message: expect.stringContaining(name) })
    expect(refusal(() => createClient({ url }))).toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining(`A client needs { url } or { queue }, but url is ${name}`),
    })
  })

  it('may be the URL of the API, as the server prints it', async () => {
    const { url, engine } = await startOn(sqlite)()
    for (const address of [`${url}/trpc`, `${url}/trpc/`, `${url}/`]) {
      const { id } = await createClient({ url: address }).$queue.enqueue({ type: 'mail', payload: 1 })
      expect(await engine.get({ id })).toMatchObject({ type: 'mail' })
    }
  })
})

describe('a queue that was closed in this process', () => {
  it('rejects calls with a message about this process only', async () => {
    const queue = await openQueue('sqlite::memory:')
    await queue.close()
    const error = await refused(queue.enqueue({ type: 'mail', payload: 1 }))
    expect(error).toMatchObject({ code: 'CLOSED', message: expect.stringContaining('closed in this process') })
  })
})
