/** Lost leases of jobs from the REST APIs, which follow other rules. */
import { describe, expect, it } from 'vitest'
import { CRASH_ERROR, TIMED_OUT_ERROR } from '../../../shared/job-errors.ts'
import { rescueJob } from '../../../shared/lifecycle.ts'
import { SOURCES } from '../../../shared/sources.ts'
import { cancelAsked, jobIn, NOW, settings } from './job-fixture.ts'

const MINUTE_AGO = NOW - 60_000

describe('a lease that ended', () => {
  const json = { face: SOURCES.jsonQueue, maxAttempts: 2, crashes: 0 }
  it.each([
    ['of /api/queue, the first', { ...json, attempts: 1 }, 'pending', CRASH_ERROR],
    ['of /api/queue, the second', { ...json, attempts: 2, crashes: 1 }, 'failed', TIMED_OUT_ERROR],
    ['of /api/queue, the second of a job that failed before', { ...json, attempts: 2 }, 'failed', TIMED_OUT_ERROR],
    ['of /api/queue, of a cancelled job', { ...json, attempts: 1, ...cancelAsked }, 'cancelled', CRASH_ERROR],
    [
      'of /api/queue, unconfirmed',
      { ...json, attempts: 2, crashes: 1, unconfirmedClaims: 1 },
      'failed',
      TIMED_OUT_ERROR,
    ],
    ['of a task', { face: SOURCES.tasks, attempts: 2, maxAttempts: 2 }, 'failed', CRASH_ERROR],
    ['of a task that crashed too often', { face: SOURCES.tasks, attempts: 2, crashes: 2 }, 'failed', CRASH_ERROR],
  ])('%s', (_, job, status, error) => {
    const { next, attempt } = rescueJob(jobIn('processing', job), settings, NOW)
    expect(next).toMatchObject({ status, error })
    expect(attempt).toMatchObject({ outcome: 'crashed', statusAfter: status, error })
  })

  it('redelivers a message at its old position every time', () => {
    const message = { face: SOURCES.messages, attempts: 900, crashes: 899, maxAttempts: 3, runAt: MINUTE_AGO }
    const { next } = rescueJob(jobIn('processing', message), settings, NOW)
    expect(next).toMatchObject({
      status: 'pending',
      runAt: MINUTE_AGO,
      crashes: 900,
      leaseUntil: null,
      finishedAt: null,
    })
    const stopped = rescueJob(jobIn('processing', { ...message, ...cancelAsked }), settings, NOW)
    expect(stopped.next).toMatchObject({ status: 'cancelled', finishedAt: NOW })
  })
})
