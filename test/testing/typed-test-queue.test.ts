/** Test queue with definitions, which validate payloads, handlers and results. */
import { readFile } from 'node:fs/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { createClient } from '../../server/sdk/declaring-client.ts'
import { defineJobs } from '../../server/sdk/jobs/define-jobs.ts'
import { createTestQueue } from '../../server/sdk/testing/test-queue.ts'
import { PARSERS } from '../../shared/verbs/verb-inputs.ts'
import { refused } from '../support/engine.ts'
import { refusal } from '../support/refusal.ts'

const jobs = defineJobs({
  confirm: {
    type: 'order.confirm',
    payload: z.object({ id: z.string(), copies: z.int().default(1) }),
    result: z.object({ mailId: z.string() }),
  },
  ping: { payload: z.string().optional() },
})

function testQueue() {
  const queue = createTestQueue({ jobs })
  onTestFinished(() => queue.close())
  return { queue, client: createClient({ queue, jobs }) }
}

const wrong = (json: string) => JSON.parse(json)

describe('a test queue with definitions', () => {
  it('runs handlers by definition name, with parsed payloads', async () => {
    const { queue, client } = testQueue()
    await client.confirm.enqueue({ id: '1' })
    expect(queue.expectEnqueued('confirm', { id: '1' })).toMatchObject({ type: 'order.confirm' })
    expect(queue.expectEnqueued('confirm', { copies: expect.any(Number) }).payload).toEqual({ id: '1', copies: 1 })
    const seen: unknown[] = []
    const drained = await queue.drain({
      confirm: ({ payload }) => {
        seen.push(payload.copies)
        return { mailId: 'm' }
      },
    })
    expect([seen, drained]).toEqual([[1], [expect.objectContaining({ status: 'completed' })]])
  })

  it('refuses invalid payloads and undefined types, through every method', async () => {
    const { queue } = testQueue()
    const bad = refused(queue.enqueue({ type: 'order.confirm', payload: { id: 7 } }))
    expect((await bad).message).toMatch(/^The payload of confirm failed validation: id: /)
    const unknown = refused(queue.enqueueMany({ jobs: [{ type: 'order.confrim', payload: { id: '1' } }] }))
    expect((await unknown).message).toBe('No job is defined with the type order.confrim; did you mean order.confirm?')
    // What a dashboard that is mounted on the queue calls.
    const parsed = PARSERS.enqueue({ type: 'order.confirm', payload: { id: 7 } })
    expect((await refused(Reflect.get(queue, 'parsed').enqueue(parsed))).message).toMatch(
      /^The payload of confirm failed validation: id: /,
    )
    await queue.enqueue({ type: 'ping', payload: null })
    expect(await queue.counts()).toMatchObject({ pending: 1 })
  })

  it('fails a job whose result violates its schema', async () => {
    const { queue, client } = testQueue()
    await client.confirm.enqueue({ id: '1' })
    const [ended] = await queue.drain({ confirm: () => wrong('{"mailId":7}') })
    expect(ended).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/^The result of confirm failed validation: mailId: /),
    })
  })

  it('refuses misspelt handlers, expectations and options', async () => {
    const { queue } = testQueue()
    const misspelt: Parameters<typeof queue.drain>[0] = Object.fromEntries([['confrim', () => ({ mailId: 'm' })]])
    expect((await refused(queue.drain(misspelt))).message).toBe(
      'There is a handler for confrim, but no job of that name is defined; did you mean confirm?',
    )
    const name: 'confirm' = wrong('"confrim"')
    expect(refusal(() => queue.expectEnqueued(name)).message).toContain('did you mean confirm?')
    expect(refusal(() => createTestQueue(wrong('{"startAt":0}'))).message).toContain('did you mean startsAt?')
  })
})

describe('a test queue without definitions', () => {
  it('refuses a handler without jobs while other jobs have no handler', async () => {
    const queue = createTestQueue()
    onTestFinished(() => queue.close())
    expect(await queue.drain({ mail: () => null })).toEqual([])
    await queue.enqueue({ type: 'confirm_order', payload: 1 })
    expect((await refused(queue.drain({ confrim_order: () => null }))).message).toMatch(
      /^There is a handler for confrim_order, which has no jobs, and none for confirm_order/,
    )
    expect(await queue.drain({ mail: () => null, confirm_order: () => null })).toHaveLength(1)
  })
})

describe('the example of docs/testing.md', () => {
  it('the example of docs/testing.md is compiled and run here', async () => {
    const text = await readFile(new URL('../../docs/testing.md', import.meta.url), 'utf8')
    const [, example = ''] = /```ts\n(.*?)```/s.exec(text) ?? []
    const body = example.replaceAll(/^import .*\n/gm, '')
    const program = await readFile(new URL('./documented-example.ts', import.meta.url), 'utf8')
    expect(program.endsWith(body)).toBe(true)
    const logSpy = vi.spyOn(console, 'log').mockImplementation(() => {})
    onTestFinished(() => logSpy.mockRestore())
    await import('./documented-example.ts')
    expect(logSpy.mock.calls).toEqual([['completed']])
  })
})
