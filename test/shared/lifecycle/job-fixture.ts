/** Job fixture for lifecycle tests; every column has a distinct value. */
import type { JobSummary } from '../../../shared/job.ts'
import type { Failure, LiveJob } from '../../../shared/lifecycle.ts'
import { DEFAULTS, type EffectiveSettings, effectiveSettings } from '../../../shared/settings/settings.ts'
import type { Status } from '../../../shared/status.ts'
import { isTerminal } from '../../../shared/status.ts'

export const NOW = 1_800_000_000_000

export const settings: EffectiveSettings = {
  ...effectiveSettings({}, {}, {}, DEFAULTS),
  maxAttempts: 5,
  backoff: { kind: 'linear', baseMs: 7_000, capMs: 60_000, jitter: 0 },
  crashBudget: 3,
}

type Fixture = JobSummary & LiveJob

/** A job in the given status that satisfies the table constraints, with overrides. */
export function jobIn(status: Status, overrides: Partial<Fixture> = {}): Fixture {
  const leased = status === 'processing'
  return {
    id: '018f6f0e-7b1a-7c3e-9a55-0123456789ab',
    seq: 101,
    type: 'report',
    status,
    priority: 4,
    attempts: 2,
    maxAttempts: null,
    crashes: 1,
    unconfirmedClaims: 0,
    version: 9,
    runAt: NOW - 50_000,
    leaseUntil: leased ? NOW + 12_000 : null,
    leaseMs: leased ? 13_000 : null,
    lockedBy: leased ? 'worker-14' : null,
    error: 'an earlier error',
    progress: 15,
    dedupeKey: 'key-16',
    dedupeUntil: 'finished',
    timeoutMs: 17_000,
    backoff: null,
    face: 'face-18',
    cancelRequestedAt: null,
    claimRequestId: 'request-19',
    traceparent: 'trace-20',
    groupName: 'slots',
    groupKey: 'slot-21',
    expiresAt: NOW + 22_000,
    tick: null,
    createdAt: NOW - 90_000,
    updatedAt: NOW - 30_000,
    startedAt: NOW - 40_000,
    finishedAt: isTerminal(status) ? NOW - 25_000 : null,
    ...overrides,
  }
}

export const cancelAsked: Partial<JobSummary> = { cancelRequestedAt: NOW - 1_000 }

export function failure(overrides: Partial<Failure> = {}): Failure {
  return { error: 'boom 42', retry: true, retryInMs: null, exitCode: 3, random: 0.5, ...overrides }
}
