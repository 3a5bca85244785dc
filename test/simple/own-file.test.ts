/** Exported functions of the simple queue: on the file of DB_PATH, opened by the first call. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { close, completeJob, dequeue, enqueue, failJob, getJob } from '../../server/sdk/simple/simple-queue.ts'
import { refusal } from '../support/refusal.ts'
import { tempFolder } from '../support/temp.ts'

afterEach(() => void vi.unstubAllEnvs())

it('the exported functions open the file of DB_PATH with the first call', async () => {
  const file = join(await tempFolder(), 'jobs', 'queue.db')
  vi.stubEnv('DB_PATH', file)
  vi.stubEnv('DATABASE_URL', '')
  expect(existsSync(file)).toBe(false)
  const [first, second] = [enqueue('send_email', { to: 'a' }), enqueue('send_email')]
  expect([dequeue('worker-1')?.id, dequeue('worker-1')?.id]).toEqual([first, second])
  completeJob(first)
  failJob(second, 'no answer')
  await close()
  expect([getJob(first)?.status, getJob(second)?.last_error]).toEqual(['completed', 'no answer'])
  await close()
  await close()
})

it('the exported functions refuse a DATABASE_URL of PostgreSQL', () => {
  vi.stubEnv('DATABASE_URL', 'postgres://127.0.0.1/queue')
  expect(refusal(() => enqueue('send_email'))).toMatchObject({
    code: 'BAD_INPUT',
    message: expect.stringMatching(/need a SQLite file/),
  })
})
