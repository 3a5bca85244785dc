/** Contract lines of the lesson on database-backed queues: four functions and their record. */
import { expect } from 'vitest'
import type { SimpleQueue } from '../../server/sdk/simple/simple-queue.ts'
import { SECOND } from '../../shared/limits.ts'
import { refusal } from '../support/refusal.ts'
import type { TestClock } from '../support/test-clock.ts'
import { differs, kept, type Line } from './line.ts'

const FIELDS = [
  ...['id', 'type', 'payload', 'status', 'priority', 'attempts', 'max_attempts', 'last_error', 'scheduled_at'],
  ...['created_at', 'updated_at', 'completed_at', 'locked_by', 'locked_at'],
]
const EXERCISES = 'test/simple/exercises.test.ts'

export function lessonLines(queue: SimpleQueue, clock: TestClock): readonly Line[] {
  const now = () => new Date(clock.now()).toISOString()
  const finish = () => {
    for (let job = queue.dequeue('w'); job; job = queue.dequeue('w')) queue.completeJob(job.id)
  }
  const fresh = (field: string, value: unknown) => () => {
    const id = queue.enqueue('send_email')
    expect(queue.getJob(id)).toMatchObject({ [field]: value })
    finish()
  }

  return [
    kept(3, 'a SQLite file is enough', 'test/simple/own-file.test.ts'),
    kept(4, "the application's own database will do", EXERCISES),
    differs(7, 'a table jobs', 'tables'),
    kept(8, 'a record has these columns, in this order', () => {
      expect(Object.keys(queue.getJob(queue.enqueue('shape')) ?? {})).toEqual(FIELDS)
      finish()
    }),
    kept(9, 'type is kept', fresh('type', 'send_email')),
    kept(10, 'payload is JSON, {} by default', fresh('payload', '{}')),
    kept(11, 'status is pending by default', fresh('status', 'pending')),
    kept(12, 'priority is 0 by default', fresh('priority', 0)),
    kept(13, 'attempts is 0 by default', fresh('attempts', 0)),
    kept(14, 'max_attempts is 5 by default', fresh('max_attempts', 5)),
    kept(15, 'last_error is null by default', fresh('last_error', null)),
    differs(16, 'instants are text made by datetime()', 'iso-times', () => fresh('scheduled_at', now())()),
    kept(19, 'completed_at is null by default', fresh('completed_at', null)),
    kept(20, 'locked_by and locked_at are null by default', () => {
      expect(queue.getJob(queue.enqueue('free'))).toMatchObject({ locked_by: null, locked_at: null })
      finish()
    }),
    kept(24, 'a payload is stored as JSON text', () => {
      const id = queue.enqueue('send_email', { to: 'ada', orderId: 'order-1' })
      expect(queue.getJob(id)?.payload).toBe('{"to":"ada","orderId":"order-1"}')
      finish()
    }),
    kept(25, 'the four statuses', EXERCISES),
    kept(26, 'a higher priority runs first', () => {
      const [low, high] = [queue.enqueue('report'), queue.enqueue('pay', {}, { priority: 10 })]
      expect([queue.dequeue('w')?.id, queue.dequeue('w')?.id]).toEqual([high, low])
      queue.completeJob(high)
      queue.completeJob(low)
    }),
    kept(27, 'a job with no attempts left has failed', () => {
      const id = queue.enqueue('once', {}, { maxAttempts: 1 })
      queue.dequeue('w')
      queue.failJob(id, 'no')
      expect(queue.getJob(id)).toMatchObject({ status: 'failed', attempts: 1, max_attempts: 1, last_error: 'no' })
    }),
    kept(28, 'a job does not run before scheduled_at', async () => {
      const id = queue.enqueue('later', {}, { scheduledAt: new Date(clock.now() + 5 * SECOND).toISOString() })
      expect(queue.dequeue('w')).toBeNull()
      await clock.advance(5 * SECOND)
      expect(queue.dequeue('w')?.id).toBe(id)
      queue.completeJob(id)
    }),
    kept(29, 'a claimed job names its worker and the time', () => {
      const id = queue.enqueue('held')
      expect(queue.dequeue('worker-7')).toMatchObject({ id, locked_by: 'worker-7', locked_at: now() })
      queue.completeJob(id)
    }),
    kept(33, 'enqueue takes a type, a payload and options', () => {
      const id = queue.enqueue('all', { a: 1 }, { priority: 3, scheduledAt: now(), maxAttempts: 2 })
      expect(queue.getJob(id)).toMatchObject({ priority: 3, scheduled_at: now(), max_attempts: 2 })
      finish()
    }),
    kept(38, 'enqueue returns a UUID', () => {
      expect(queue.enqueue('id')).toMatch(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
      finish()
    }),
    kept(62, 'dequeue returns the record, or null', () => {
      const id = queue.enqueue('one')
      expect([queue.dequeue('w')?.id, queue.dequeue('w')]).toEqual([id, null])
      queue.completeJob(id)
    }),
    kept(67, 'dequeue makes it processing', () => {
      const id = queue.enqueue('one')
      expect(queue.dequeue('w')).toMatchObject({ id, status: 'processing', updated_at: now() })
      queue.completeJob(id)
    }),
    kept(71, 'equal priorities run by scheduled_at', async () => {
      const second = queue.enqueue('b', {}, { scheduledAt: new Date(clock.now() + SECOND).toISOString() })
      const first = queue.enqueue('a')
      await clock.advance(SECOND)
      expect([queue.dequeue('w')?.id, queue.dequeue('w')?.id]).toEqual([first, second])
      queue.completeJob(first)
      queue.completeJob(second)
    }),
    kept(83, 'no two workers get the same job', EXERCISES),
    kept(91, 'completeJob ends it and frees it', () => {
      const id = queue.enqueue('done')
      queue.dequeue('w')
      queue.completeJob(id)
      expect(queue.getJob(id)).toMatchObject({
        ...{ status: 'completed', completed_at: now(), updated_at: now(), locked_by: null, locked_at: null },
      })
    }),
    differs(93, 'completeJob and failJob take any id', 'own-claims', () => {
      const id = queue.enqueue('waiting')
      expect(refusal(() => queue.completeJob(id)).code).toBe('WRONG_STATE')
      finish()
    }),
    kept(101, 'failJob counts the attempt, keeps the error and frees the job', () => {
      const id = queue.enqueue('failing')
      queue.dequeue('w')
      queue.failJob(id, 'no answer')
      expect(queue.getJob(id)).toMatchObject({
        ...{ status: 'pending', attempts: 1, last_error: 'no answer', locked_by: null, locked_at: null },
        scheduled_at: new Date(clock.now() + 30 * SECOND).toISOString(),
      })
    }),
    kept(91, 'last_error is kept when the job completes later', async () => {
      await clock.advance(30 * SECOND)
      const job = queue.dequeue('w')
      queue.completeJob(job?.id ?? '')
      expect(queue.getJob(job?.id ?? '')).toMatchObject({ status: 'completed', attempts: 1, last_error: 'no answer' })
    }),
    kept(117, 'waits are 30, 60, 90 and 120 s', EXERCISES),
    kept(119, 'the life of a job: pending, processing, completed or pending again or failed', EXERCISES),
    kept(126, 'the four exercises', EXERCISES),
  ]
}
