/** A queue with one of everything, the shapes of its responses, and a snapshot of its contents. */
import { expect } from 'vitest'
import type { ClaimedJob } from '../../../shared/job.ts'
import { HOUR } from '../../../shared/limits.ts'
import { emptyCounts, type StatusCounts } from '../../../shared/status.ts'
import { held, ids } from '../../support/engine.ts'
import type { Database } from '../../support/places.ts'
import { describeServer, type Settings, type StartServer, type TestServer } from '../../support/server.ts'

export const MISSING = '018f6f0e-0000-7000-8000-00000000dead'

export interface World {
  readonly server: TestServer
  /** A pending `mail`, and a scheduled one. */
  readonly waiting: string
  readonly late: string
  /** A `call` that failed permanently. */
  readonly failed: string
  /** A `print` that worker-1 holds, with a line in its log. */
  readonly held: ClaimedJob
  /** A bulk removal of every `fax` that starts in a minute. */
  readonly bulk: string
  /** A revoked token, because an active one would make authentication required. */
  readonly token: string
  /** A schedule of type `mail` that is paused, so that the time of the test does not matter. */
  readonly schedule: string
}

export interface Api {
  /** Without fsync: disk latency is not under test here. */
  readonly openServer: StartServer
  readonly openWorld: (settings?: Settings) => Promise<World>
  readonly database: Database
}

/** A suite of the API, once per database. */
export function describeApi(subject: string, define: (api: Api) => void, databases?: readonly Database[]): void {
  describeServer(
    subject,
    (startServer, database) => {
      const openServer: StartServer = (settings = {}, options = {}) =>
        // Allows every procedure without a token, including tokens.create.
        startServer({ DURABILITY: 'normal', COMMANDS_WITHOUT_TOKEN: 'allow', ...settings }, options)
      define({ openServer, openWorld: async (settings) => fill(await openServer(settings)), database })
    },
    databases,
  )
}

async function fill(server: TestServer): Promise<World> {
  const { engine } = server
  const types = ['call', 'print']
  const lost = await held(engine, { type: 'call' }, { types })
  await engine.fail({ id: lost.id, version: lost.version, error: 'no route', retry: false })
  const job = await held(engine, { type: 'print' }, { types })
  await engine.log({ id: job.id, version: job.version, lines: [{ line: 'page 1', stream: 'stdout' }] })
  const bulk = await engine.startBulk({ action: 'remove', filter: { type: 'fax' }, undoMs: 60_000, actor: 'ada' })
  const token = await engine.createToken({ scopes: ['read'], name: 'old', actor: 'ada' })
  await engine.revokeToken({ id: token.id, actor: 'ada' })
  const { name: schedule } = await engine.createSchedule({
    name: 'nightly',
    type: 'mail',
    payload: {},
    cron: '0 3 * * *',
  })
  await engine.pauseSchedule({ name: schedule, note: 'holidays', actor: 'ada' })
  await engine.declareSchedules({
    owner: 'printers',
    schedules: [{ name: 'printing', type: 'print', payload: 1, every: '90d' }],
  })
  const jobs = [
    { type: 'mail', payload: { to: 'ada' } },
    { type: 'mail', payload: {}, delayMs: HOUR },
  ]
  const [waiting, late] = ids(await engine.enqueueMany({ jobs })) as [string, string]
  return {
    server,
    waiting,
    late,
    failed: lost.id,
    held: job,
    bulk: bulk.id,
    token: token.id,
    schedule,
  }
}

/** Everything that a refused call could have changed, except lease ends, which a starting server renews. */
export async function picture({ engine }: TestServer): Promise<unknown> {
  const { jobs } = await engine.list({ payloads: true, limit: 200 })
  return {
    counts: await engine.counts(),
    jobs: jobs.map(({ leaseUntil: _, ...job }) => job),
    types: await engine.types(),
    settings: await engine.settings(),
    workers: await engine.workers(),
    schedules: await engine.schedules(),
    audit: await engine.auditTrail(),
  }
}

export const anyNumber = expect.any(Number)
export const anyText = expect.any(String)

export function counts(some: Partial<StatusCounts>): StatusCounts {
  return { ...emptyCounts(), ...some }
}

/** A job as lists return it, with the values of a new job without options. */
export function summary(differs: Readonly<Record<string, unknown>>) {
  return {
    id: anyText,
    seq: anyNumber,
    type: 'mail',
    status: 'pending',
    priority: 0,
    attempts: 0,
    maxAttempts: null,
    crashes: 0,
    version: 0,
    runAt: anyNumber,
    leaseUntil: null,
    leaseMs: null,
    lockedBy: null,
    error: null,
    progress: null,
    dedupeKey: null,
    dedupeUntil: null,
    timeoutMs: null,
    backoff: null,
    face: 'api',
    cancelRequestedAt: null,
    claimRequestId: null,
    traceparent: null,
    tick: null,
    groupName: null,
    groupKey: null,
    expiresAt: null,
    createdAt: anyNumber,
    updatedAt: anyNumber,
    startedAt: null,
    finishedAt: null,
    ...differs,
  }
}

/** A job as a claim returns it. */
export function claimed(differs: Readonly<Record<string, unknown>>) {
  return {
    id: anyText,
    seq: anyNumber,
    type: 'mail',
    payload: {},
    version: 1,
    attempts: 1,
    maxAttempts: 3,
    crashes: 0,
    priority: 0,
    runAt: anyNumber,
    createdAt: anyNumber,
    startedAt: anyNumber,
    leaseUntil: anyNumber,
    timeoutMs: null,
    traceparent: null,
    tick: null,
    ...differs,
  }
}

export function type(differs: Readonly<Record<string, unknown>>, effective: Readonly<Record<string, unknown>> = {}) {
  return {
    name: 'mail',
    kind: 'job',
    declared: {},
    override: {},
    createdAt: anyNumber,
    updatedAt: anyNumber,
    effective: {
      paused: false,
      rate: null,
      burst: null,
      maxConcurrency: null,
      maxAttempts: 3,
      timeoutMs: null,
      backoff: { kind: 'exponential', baseMs: 10_000, factor: 4, capMs: 6 * HOUR, capFrom: 6, jitter: 0.2 },
      retentionMs: 30 * 24 * HOUR,
      crashBudget: 3,
      group: null,
      leaseMs: HOUR / 2,
      ...effective,
    },
    ...differs,
  }
}

export function bulkRow(differs: Readonly<Record<string, unknown>>) {
  return {
    id: anyText,
    action: 'remove',
    filter: { type: 'fax' },
    backfill: null,
    state: 'waiting',
    actor: 'ada',
    cursor: anyNumber,
    matched: 0,
    changed: 0,
    skipped: 0,
    undone: 0,
    startsAt: anyNumber,
    undoUntil: anyNumber,
    createdAt: anyNumber,
    finishedAt: null,
    ...differs,
  }
}
