/** Lifecycle transitions of a processing job: fail, release, lost lease. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ATTEMPTS_LOST_ERROR, CRASH_ERROR, UNCONFIRMED_ERROR } from '../../../shared/job-errors.ts'
import {
  failJob,
  type LiveJob,
  releaseJob,
  rescueJob,
  setAsideError,
  type Transition,
} from '../../../shared/lifecycle.ts'
import { limits } from '../../../shared/limits.ts'
import { isTerminal } from '../../../shared/status.ts'
import { cancelAsked, failure, jobIn, NOW, settings } from './job-fixture.ts'

const LET_GO = { leaseUntil: null, leaseMs: null, lockedBy: null, cancelRequestedAt: null, unconfirmedClaims: 0 }
const DONE = { ...LET_GO, finishedAt: NOW }
const WAITS = { ...LET_GO, finishedAt: null }
const ENDED = { version: 9, worker: 'worker-14', startedAt: NOW - 40_000, finishedAt: NOW }

const processing = (overrides: Partial<LiveJob> = {}): LiveJob => jobIn('processing', overrides)

describe('failJob', () => {
  it('applies the backoff of the attempt and keeps the error', () => {
    const { next, attempt } = failJob(processing(), failure(), settings, NOW)
    const runAt = NOW + 14_000
    expect(next).toEqual({ ...WAITS, status: 'retrying', attempts: 2, crashes: 1, runAt, error: 'boom 42' })
    expect(attempt).toEqual({
      ...ENDED,
      outcome: 'failed',
      statusAfter: 'retrying',
      nextRunAt: runAt,
      error: 'boom 42',
      errorKey: 'boom <n>',
      exitCode: 3,
    })
  })

  it('uses the backoff of the job before the backoff of the type', () => {
    const job = processing({ backoff: { kind: 'fixed', baseMs: 1_234, jitter: 0 } })
    expect(failJob(job, failure(), settings, NOW).next.runAt).toBe(NOW + 1_234)
  })

  it('uses its random number for the jitter', () => {
    const job = processing({ backoff: { kind: 'fixed', baseMs: 1_000, jitter: 0.5 } })
    expect(failJob(job, failure({ random: 0 }), settings, NOW).next.runAt).toBe(NOW + 500)
    expect(failJob(job, failure({ random: 0.75 }), settings, NOW).next.runAt).toBe(NOW + 1_250)
  })

  it.each([
    ['the maximum of the type', { attempts: 5 }, 'failed'],
    ['one below the maximum of the type', { attempts: 4 }, 'retrying'],
    ['the maximum of the job', { attempts: 2, maxAttempts: 2 }, 'failed'],
    ['one below the maximum of the job, above that of the type', { attempts: 6, maxAttempts: 7 }, 'retrying'],
    ['an only attempt', { attempts: 1, maxAttempts: 1 }, 'failed'],
  ] as const)('at %s it is %s', (_name, overrides, status) => {
    const { next, attempt } = failJob(processing(overrides), failure(), settings, NOW)
    expect(next.status).toBe(status)
    expect(next.finishedAt).toBe(status === 'failed' ? NOW : null)
    expect(attempt).toMatchObject({ statusAfter: status, nextRunAt: status === 'failed' ? null : next.runAt })
  })

  it('ends as cancelled when the worker cancels it', () => {
    const { next, attempt } = failJob(processing(), failure({ cancel: true }), settings, NOW)
    expect(next).toMatchObject({ status: 'cancelled', finishedAt: NOW, error: 'boom 42' })
    expect(attempt).toMatchObject({ outcome: 'failed', statusAfter: 'cancelled' })
  })

  it('fails permanently with retry: false, even with attempts left', () => {
    const { next } = failJob(processing(), failure({ retry: false, retryInMs: 5 }), settings, NOW)
    expect(next).toMatchObject({ ...DONE, status: 'failed', attempts: 2, error: 'boom 42' })
  })

  it('uses retryInMs of the worker, including 0', () => {
    expect(failJob(processing(), failure({ retryInMs: 99 }), settings, NOW).next).toMatchObject({
      status: 'retrying',
      runAt: NOW + 99,
    })
    expect(failJob(processing(), failure({ retryInMs: 0 }), settings, NOW).next).toMatchObject({
      status: 'pending',
      runAt: NOW,
    })
  })

  it('does not add an attempt because of retryInMs', () => {
    expect(failJob(processing({ attempts: 5 }), failure({ retryInMs: 99 }), settings, NOW).next.status).toBe('failed')
  })

  it('cancels the job if its cancellation was requested', () => {
    const { next, attempt } = failJob(processing(cancelAsked), failure(), settings, NOW)
    expect(next).toMatchObject({ ...DONE, status: 'cancelled', error: 'boom 42' })
    expect(attempt).toMatchObject({ outcome: 'failed', statusAfter: 'cancelled', nextRunAt: null })
  })

  it('stores a short error with the job and a longer one with the attempt', () => {
    const { next, attempt } = failJob(processing(), failure({ error: `\u0000${'x'.repeat(20_000)}` }), settings, NOW)
    expect(next.error).toHaveLength(limits.jobErrorLength)
    expect(attempt?.error).toHaveLength(limits.attemptErrorLength)
    expect(next.error?.startsWith('\ufffdx')).toBe(true)
  })
})

describe('releaseJob', () => {
  it('does not count the attempt and keeps the claim position', () => {
    const { next, attempt } = releaseJob(processing(), 0, NOW)
    expect(next).toEqual({
      ...WAITS,
      status: 'pending',
      attempts: 1,
      crashes: 1,
      runAt: NOW - 50_000,
      error: 'an earlier error',
    })
    expect(attempt).toMatchObject({ ...ENDED, outcome: 'released', statusAfter: 'pending', nextRunAt: NOW - 50_000 })
    expect(attempt).toMatchObject({ error: null, errorKey: null, exitCode: null })
  })

  it.each([
    ['never tried before', { attempts: 1, crashes: 0 }, 'scheduled'],
    ['tried before', { attempts: 2, crashes: 0 }, 'retrying'],
    ['crashed before', { attempts: 1, crashes: 1 }, 'retrying'],
  ] as const)('with a delay, a job %s waits as such', (_name, overrides, status) => {
    const { next } = releaseJob(processing(overrides), 500, NOW)
    expect(next).toMatchObject({ ...WAITS, status, attempts: overrides.attempts - 1, runAt: NOW + 500 })
  })

  it.each([0, 500])('cancels the job after a cancel request, with delay %i', (delayMs) => {
    const { next, attempt } = releaseJob(processing(cancelAsked), delayMs, NOW)
    expect(next).toMatchObject({ ...DONE, status: 'cancelled', attempts: 1, error: 'an earlier error' })
    expect(attempt).toMatchObject({ outcome: 'released', statusAfter: 'cancelled', nextRunAt: null })
  })
})

describe('rescueJob', () => {
  it('makes the job claimable at once and counts the crash', () => {
    const { next, attempt } = rescueJob(processing(), settings, NOW)
    expect(next).toEqual({ ...WAITS, status: 'pending', attempts: 2, crashes: 2, runAt: NOW, error: CRASH_ERROR })
    expect(attempt).toMatchObject({ ...ENDED, outcome: 'crashed', statusAfter: 'pending', nextRunAt: NOW })
    expect(attempt).toMatchObject({ error: 'Task timeout - worker may have crashed', exitCode: null })
  })

  it.each([
    ['attempts spent', { attempts: 5, crashes: 0 }, 'failed', ATTEMPTS_LOST_ERROR],
    ['attempts of the job spent', { attempts: 1, maxAttempts: 1, crashes: 0 }, 'failed', ATTEMPTS_LOST_ERROR],
    ['crash budget spent', { attempts: 3, crashes: 2 }, 'failed', setAsideError(3)],
    ['crash budget and attempts spent', { attempts: 5, crashes: 2 }, 'failed', setAsideError(3)],
    [
      'crash budget spent with own attempts left',
      { attempts: 3, maxAttempts: 100, crashes: 2 },
      'failed',
      setAsideError(3),
    ],
    ['one crash left', { attempts: 2, crashes: 1 }, 'pending', CRASH_ERROR],
  ] as const)('with %s', (_name, overrides, status, error) => {
    const { next } = rescueJob(processing(overrides), settings, NOW)
    expect(next).toMatchObject({
      ...(status === 'failed' ? DONE : WAITS),
      status,
      crashes: overrides.crashes + 1,
      error,
    })
  })

  it('never quarantines a job for its first crash', () => {
    const strict = { ...settings, crashBudget: 1 }
    expect(rescueJob(processing({ crashes: 0 }), strict, NOW).next).toMatchObject({ status: 'pending', crashes: 1 })
    const second = rescueJob(processing({ crashes: 1 }), strict, NOW).next
    expect(second).toMatchObject({ status: 'failed', crashes: 2, error: setAsideError(2) })
  })

  it.each([1, 2, 3])('counts neither crash nor attempt after %i unconfirmed claims in a row', (unconfirmedClaims) => {
    const job = processing({ attempts: 5, crashes: 2, unconfirmedClaims })
    const { next, attempt } = rescueJob(job, settings, NOW)
    const kept = { attempts: 4, crashes: 2, unconfirmedClaims, error: 'an earlier error' }
    expect(next).toEqual({ ...WAITS, ...kept, status: 'pending', runAt: NOW })
    expect(attempt).toMatchObject({ outcome: 'released', nextRunAt: NOW, error: UNCONFIRMED_ERROR, errorKey: null })
  })

  it('counts an attempt but no crash after more unconfirmed claims', () => {
    const lost = { crashes: 2, unconfirmedClaims: 4 }
    const { next, attempt } = rescueJob(processing({ ...lost, attempts: 4 }), settings, NOW)
    expect(next).toMatchObject({ ...WAITS, ...lost, status: 'pending', attempts: 4, error: CRASH_ERROR })
    expect(attempt).toMatchObject({ outcome: 'crashed', error: CRASH_ERROR })
    const last = rescueJob(processing({ ...lost, attempts: 5 }), settings, NOW).next
    expect(last).toMatchObject({ ...DONE, ...lost, status: 'failed', error: ATTEMPTS_LOST_ERROR })
  })

  it('cancels the job if its cancellation was requested', () => {
    const { next } = rescueJob(processing({ ...cancelAsked, attempts: 5 }), settings, NOW)
    expect(next).toMatchObject({ ...DONE, status: 'cancelled', crashes: 2, error: CRASH_ERROR })
  })
})

it('every end of an attempt satisfies the table constraints', () => {
  const jobs = fc.record({
    attempts: fc.integer({ min: 1, max: 6 }),
    crashes: fc.nat(4),
    cancelRequestedAt: fc.constantFrom(null, NOW - 5),
    maxAttempts: fc.constantFrom(null, 1, 2, 6),
    unconfirmedClaims: fc.nat(5),
  })
  const ends: readonly ((job: LiveJob) => Transition)[] = [
    (job) => failJob(job, failure(), settings, NOW),
    (job) => failJob(job, failure({ retryInMs: 0 }), settings, NOW),
    (job) => releaseJob(job, 0, NOW),
    (job) => releaseJob(job, 10, NOW),
    (job) => rescueJob(job, settings, NOW),
  ]
  fc.assert(
    fc.property(jobs, fc.constantFrom(...ends), (overrides, end) => {
      const { next, attempt } = end(processing(overrides))
      expect(next.finishedAt !== null).toBe(isTerminal(next.status))
      expect([next.leaseUntil, next.lockedBy, next.cancelRequestedAt]).toEqual([null, null, null])
      expect(next.status).not.toBe('processing')
      expect(attempt?.statusAfter).toBe(next.status)
      if (overrides.cancelRequestedAt !== null) expect(next.status).toBe('cancelled')
    }),
  )
})
