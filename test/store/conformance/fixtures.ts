/** Jobs and operations for the suite, with a different value in every column. */
import type { Lease, NewJob, OpOf } from '../../../server/store/ops.ts'
import type { Failure } from '../../../shared/lifecycle.ts'
import { START } from '../../support/test-clock.ts'

let made = 0

/** Ascending ids in the form of UUID v7, like those of the engine. */
export function nextId(): string {
  made += 1
  return `018f6f0e-0000-7000-8000-${made.toString(16).padStart(12, '0')}`
}

export const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'

/** A job without options. */
export function plainJob(overrides: Partial<NewJob> = {}): NewJob {
  return {
    id: nextId(),
    type: 'report',
    kind: 'job',
    payload: '{"n":1}',
    priority: 0,
    delayMs: null,
    runAt: null,
    maxAttempts: null,
    timeoutMs: null,
    backoff: null,
    dedupeKey: null,
    dedupeUntil: 'removed',
    expiresAt: null,
    face: 'api',
    traceparent: null,
    groupName: null,
    groupKey: null,
    whenFull: null,
    ...overrides,
  }
}

/** A job with every option, each with a different value. */
export function fullJob(overrides: Partial<NewJob> = {}): NewJob {
  return plainJob({
    payload: '{"to":"someone","n":[1,2]}',
    priority: 2,
    runAt: START - 3_000,
    maxAttempts: 4,
    timeoutMs: 50_000,
    backoff: { kind: 'fixed', baseMs: 6_000, jitter: 0 },
    dedupeKey: 'key-7',
    dedupeUntil: 'finished',
    expiresAt: START + 8_000_000,
    face: 'face-9',
    traceparent: TRACEPARENT,
    groupName: 'slots-10',
    groupKey: 'slot-11',
    tick: { schedule: 'schedule-12', at: START - 13, previous: START - 14, missed: 15, backfill: true },
    ...overrides,
  })
}

export function failure(overrides: Partial<Failure> = {}): Failure {
  return { error: 'boom 42', retry: true, retryInMs: null, exitCode: 3, random: 0.5, ...overrides }
}

export function complete({ id, version }: Lease, result: string | null = '{"ok":true}'): OpOf<'complete'> {
  return { kind: 'complete', id, version, result }
}

export function fail({ id, version }: Lease, overrides: Partial<Failure> = {}): OpOf<'fail'> {
  return { kind: 'fail', id, version, failure: failure(overrides) }
}

export function release({ id, version }: Lease, delayMs = 0): OpOf<'release'> {
  return { kind: 'release', id, version, delayMs }
}

/** A handler threw GroupBusy. */
export function busy({ id, version }: Lease, delayMs: number): OpOf<'release'> {
  return { kind: 'release', id, version, delayMs, groupBusy: true }
}

export function updateGroup(change: Partial<OpOf<'updateGroup'>> = {}): OpOf<'updateGroup'> {
  return {
    kind: 'updateGroup',
    name: 'report',
    key: null,
    set: {},
    clear: [],
    resume: false,
    actor: 'operator',
    ...change,
  }
}

export function heartbeat(
  leases: readonly Lease[],
  leaseMs: number | null = null,
  worker = 'worker-1',
): OpOf<'heartbeat'> {
  return { kind: 'heartbeat', worker, leases: leases.map(({ id, version }) => ({ id, version })), leaseMs }
}

export function progress({ id, version }: Lease, percent = 40): OpOf<'progress'> {
  return { kind: 'progress', id, version, progress: percent }
}

export function log({ id, version }: Lease, ...lines: string[]): OpOf<'log'> {
  return { kind: 'log', id, version, lines: lines.map((line) => ({ stream: 'stdout', line })) }
}

export function claim(overrides: Partial<OpOf<'claim'>> = {}): OpOf<'claim'> {
  return {
    kind: 'claim',
    worker: 'worker-1',
    types: null,
    limit: 1,
    leaseMs: 30_000,
    requestId: null,
    settle: false,
    ...overrides,
  }
}

export function enqueue(...jobs: NewJob[]): OpOf<'enqueue'> {
  return { kind: 'enqueue', jobs }
}

export function jobAction(
  action: OpOf<'jobAction'>['action'],
  id: string,
  actor: string | null = null,
): OpOf<'jobAction'> {
  return { kind: 'jobAction', action, id, actor }
}

export const promote: OpOf<'promote'> = { kind: 'promote', limit: 1_000 }
export const rescue: OpOf<'rescue'> = { kind: 'rescue', limit: 1_000 }
export const admitBlocked: OpOf<'admitBlocked'> = { kind: 'admitBlocked', limit: 1_000 }
