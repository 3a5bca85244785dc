/** Options with a wrong name are refused, with the name that was probably meant. */
import { expect, it } from 'vitest'
import { openQueue } from '../../server/open-queue.ts'
import { refused } from '../support/engine.ts'

it.each([
  [{ delay: 5 }, 'Unrecognized key: "delay"; did you mean delayMs?'],
  [{ prioritiy: 5 }, 'Unrecognized key: "prioritiy"; did you mean priority?'],
  [{ retries: 5 }, 'Unrecognized key: "retries"'],
  [{ concurrencyKey: 'a' }, 'concurrency keys are not supported yet'],
])('enqueue refuses %o', async (options, reason) => {
  const queue = await openQueue('sqlite::memory:')
  const error = await refused(queue.enqueue({ type: 'mail', payload: 1, ...options }))
  await queue.close()
  expect([error.code, error.message]).toEqual(['BAD_INPUT', expect.stringContaining(reason)])
})
