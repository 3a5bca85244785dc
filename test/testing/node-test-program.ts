/** Example tests of a user, for the Node test runner. */
import assert from 'node:assert'
import { after, test } from 'node:test'
import { createTestQueue } from '../../server/sdk/testing/test-queue.ts'

const queue = createTestQueue({ handlers: { mail: () => null } })

after(() => queue.close())

test('a delayed job runs when it is due', async () => {
  await queue.enqueue({ type: 'mail', payload: { to: 'ada' }, delayMs: 3_600_000 })
  queue.expectEnqueued('mail', { to: 'ada' })
  assert.deepStrictEqual(await queue.drain(), [])
  await queue.advance('1h')
  assert.strictEqual((await queue.drain()).length, 1)
})

test('an expectation that fails', () => {
  queue.expectEnqueued('mail', { to: 'bob' })
})
