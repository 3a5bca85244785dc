/** Lifecycle transitions by operators and time: retry, run now, cancel, expire; lease end. */
import { describe, expect, it } from 'vitest'
import { EXPIRED_ERROR } from '../../../shared/job-errors.ts'
import {
  cancelJob,
  deadlineMs,
  expireJob,
  leaseEnd,
  retryJob,
  runJobNow,
  waitingStatus,
} from '../../../shared/lifecycle.ts'
import { STATUSES, type Status } from '../../../shared/status.ts'
import { refusal } from '../../support/refusal.ts'
import { cancelAsked, jobIn, NOW, settings } from './job-fixture.ts'

const LET_GO = { leaseUntil: null, leaseMs: null, lockedBy: null, cancelRequestedAt: null, unconfirmedClaims: 0 }

function others(...allowed: Status[]): Status[] {
  return STATUSES.filter((status) => !allowed.includes(status))
}

describe('retryJob', () => {
  it.each(['failed', 'cancelled', 'retrying'] as const)('restarts a %s job from the first attempt, now', (status) => {
    const job = jobIn(status, { attempts: 5, crashes: 2 })
    expect(retryJob(job, NOW)).toEqual({
      next: { ...LET_GO, status: 'pending', attempts: 0, crashes: 0, runAt: NOW, error: null, finishedAt: null },
      attempt: null,
    })
  })

  it.each(others('failed', 'cancelled', 'retrying'))('rejects a %s job', (status) => {
    const job = jobIn(status)
    const error = refusal(() => retryJob(job, NOW))
    expect([error.code, error.details]).toEqual(['WRONG_STATE', { id: job.id, status }])
    expect(error.message).toContain('failed, cancelled or retrying')
  })

  it('does not change the version', () => {
    expect(retryJob(jobIn('failed'), NOW).next).not.toHaveProperty('version')
  })
})

describe('runJobNow', () => {
  it.each(['scheduled', 'retrying'] as const)('makes a %s job due and keeps its history', (status) => {
    const job = jobIn(status, { runAt: NOW + 1_000 })
    expect(runJobNow(job, NOW)).toEqual({
      next: {
        ...LET_GO,
        status: 'pending',
        attempts: 2,
        crashes: 1,
        runAt: NOW,
        error: 'an earlier error',
        finishedAt: null,
      },
      attempt: null,
    })
  })

  it.each(['pending', 'blocked'] as const)('returns null for a %s job', (status) => {
    expect(runJobNow(jobIn(status), NOW)).toBeNull()
  })

  it.each(others('scheduled', 'retrying', 'pending', 'blocked'))('rejects a %s job', (status) => {
    expect(refusal(() => runJobNow(jobIn(status), NOW)).code).toBe('WRONG_STATE')
  })
})

describe('cancelJob', () => {
  it.each(['scheduled', 'pending', 'retrying'] as const)('cancels a %s job at once', (status) => {
    expect(cancelJob(jobIn(status), NOW)).toEqual({
      next: {
        ...LET_GO,
        status: 'cancelled',
        attempts: 2,
        crashes: 1,
        runAt: NOW - 50_000,
        error: 'an earlier error',
        finishedAt: NOW,
      },
      attempt: null,
    })
  })

  it('only requests the cancellation of a processing job: lease and version stay', () => {
    const job = jobIn('processing')
    const transition = cancelJob(job, NOW)
    expect(transition?.attempt).toBeNull()
    expect(transition?.next).toMatchObject({
      status: 'processing',
      cancelRequestedAt: NOW,
      leaseUntil: job.leaseUntil,
      leaseMs: job.leaseMs,
      lockedBy: job.lockedBy,
      finishedAt: null,
    })
  })

  it('returns null the second time', () => {
    expect(cancelJob(jobIn('processing', cancelAsked), NOW)).toBeNull()
    expect(cancelJob(jobIn('cancelled'), NOW)).toBeNull()
  })

  it.each(['completed', 'failed'] as const)('rejects a %s job', (status) => {
    expect(refusal(() => cancelJob(jobIn(status), NOW)).code).toBe('WRONG_STATE')
  })
})

describe('expireJob', () => {
  it.each(['scheduled', 'pending', 'retrying'] as const)('cancels a %s job with the reason', (status) => {
    expect(expireJob(jobIn(status), NOW)).toEqual({
      next: {
        ...LET_GO,
        status: 'cancelled',
        attempts: 2,
        crashes: 1,
        runAt: NOW - 50_000,
        error: EXPIRED_ERROR,
        finishedAt: NOW,
      },
      attempt: null,
    })
  })
})

describe('waitingStatus', () => {
  it.each([
    [0, 0, 'scheduled'],
    [1, 0, 'retrying'],
    [0, 1, 'retrying'],
  ] as const)('after %i attempts and %i crashes is %s', (attempts, crashes, status) => {
    expect(waitingStatus({ attempts, crashes })).toBe(status)
  })
})

describe('deadlineMs', () => {
  it('uses the timeout of the job, else of the type, else none', () => {
    expect(deadlineMs({ timeoutMs: 5 }, { ...settings, timeoutMs: 6 })).toBe(5)
    expect(deadlineMs({ timeoutMs: null }, { ...settings, timeoutMs: 6 })).toBe(6)
    expect(deadlineMs({ timeoutMs: null }, settings)).toBeNull()
  })
})

describe('leaseEnd', () => {
  it.each([
    [null, 31_000],
    [100_000, 31_000],
    [28_000, 30_000],
    [5_000, 7_000],
  ])('with a deadline of %s ms is %d ms after the start', (timeoutMs, end) => {
    expect(leaseEnd(NOW + 1_000, 30_000, NOW, timeoutMs) - NOW).toBe(end)
  })
})
