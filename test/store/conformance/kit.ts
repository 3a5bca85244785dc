/** A fresh store for every test, with helpers for common operations. */
import { afterEach, beforeEach } from 'vitest'
import type { ClaimedRow, NewJob, Op, OpKind, OpOf, OpValue, Outcome } from '../../../server/store/ops.ts'
import type { Commit, Store } from '../../../server/store/store.ts'
import type { QueueError } from '../../../shared/errors.ts'
import type { Attempt, Job } from '../../../shared/job.ts'
import type { Defaults, TypeSettings } from '../../../shared/settings/settings.ts'
import type { Status, StatusCounts } from '../../../shared/status.ts'
import { TestClock } from '../../support/test-clock.ts'
import type { StoreHarness } from '../harness.ts'
import { claim, complete, enqueue, fail, jobAction, plainJob, rescue } from './fixtures.ts'

export class Kit {
  readonly harness: StoreHarness
  readonly store: Store
  readonly clock: TestClock

  constructor(harness: StoreHarness, store: Store, clock: TestClock) {
    this.harness = harness
    this.store = store
    this.clock = clock
  }

  static async open(harness: StoreHarness, defaults: Partial<Defaults> = {}): Promise<Kit> {
    const clock = new TestClock()
    return new Kit(harness, await harness.open({ clock, defaults }), clock)
  }

  /** The same database through another connection. */
  async another(): Promise<Kit> {
    return new Kit(this.harness, await this.harness.openAnother(this.store), this.clock)
  }

  async commit(...ops: Op[]): Promise<Commit> {
    const commit = await this.store.commit(ops)
    // A store may add fields to a change; the suite compares those of the interface.
    return { ...commit, changes: commit.changes.map(({ id, type, from, to }) => ({ id, type, from, to })) }
  }

  async outcomes(...ops: Op[]): Promise<readonly Outcome[]> {
    return (await this.store.commit(ops)).outcomes
  }

  /** Commits one operation that must succeed. */
  async run<K extends OpKind>(op: OpOf<K>): Promise<OpValue<K>> {
    const [outcome] = await this.outcomes(op as unknown as Op)
    if (!outcome) throw new Error('a commit gives one outcome per operation')
    if (!outcome.ok) throw outcome.error
    return outcome.value as OpValue<K>
  }

  /** Commits one operation that must be refused. */
  async refused(op: Op): Promise<QueueError> {
    const [outcome] = await this.outcomes(op)
    if (!outcome || outcome.ok) throw new Error(`${op.kind} was not refused`)
    return outcome.error
  }

  async enqueue(...jobs: Partial<NewJob>[]): Promise<string[]> {
    const results = await this.run(enqueue(...jobs.map(plainJob)))
    return results.map(({ id }) => id)
  }

  async add(job: Partial<NewJob> = {}): Promise<string> {
    return only(await this.enqueue(job))
  }

  async claim(options: Partial<OpOf<'claim'>> = {}): Promise<readonly ClaimedRow[]> {
    return (await this.run(claim(options))).jobs
  }

  async claimIds(options: Partial<OpOf<'claim'>> = {}): Promise<string[]> {
    return (await this.claim({ limit: 100, ...options })).map(({ id }) => id)
  }

  async claimOne(options: Partial<OpOf<'claim'>> = {}): Promise<ClaimedRow> {
    return only(await this.claim(options))
  }

  /** A job that a worker holds. */
  async held(job: Partial<NewJob> = {}, options: Partial<OpOf<'claim'>> = {}): Promise<ClaimedRow> {
    const id = await this.add(job)
    const claimed = await this.claimOne(options)
    if (claimed.id !== id) throw new Error('claimed another job than the one just added')
    return claimed
  }

  async job(id: string): Promise<Job> {
    const job = await this.store.get(id)
    if (!job) throw new Error(`there is no job ${id}`)
    return job
  }

  async status(id: string): Promise<Status> {
    return (await this.job(id)).status
  }

  async lastAttempt(id: string): Promise<Attempt> {
    const attempts = await this.store.attempts(id)
    return only(attempts.toSorted((a, b) => b.version - a.version).slice(0, 1))
  }

  /** The store's counts without types that have no jobs, to compare with the rows. */
  async counts(): Promise<Map<string, StatusCounts>> {
    const counts = await this.store.counts()
    return new Map([...counts].filter(([, of]) => Object.values(of).some((n) => n !== 0)))
  }

  dump(id: string): Promise<Record<string, unknown>> {
    return this.harness.dumpJob(id)
  }

  async override(name: string, set: TypeSettings, clear: readonly (keyof TypeSettings)[] = []): Promise<void> {
    await this.run({ kind: 'overrideType', name, set, clear, actor: 'operator' })
  }

  async declare(name: string, declared: TypeSettings): Promise<void> {
    await this.run({ kind: 'declareTypes', types: [{ name, kind: 'job', declared }] })
  }

  advance(ms: number): Promise<void> {
    return this.clock.advance(ms)
  }

  /** A job that got into the given status by ordinary operations. */
  async jobIn(status: Status, job: Partial<NewJob> = {}): Promise<string> {
    if (status === 'scheduled') return this.add({ delayMs: 60_000, ...job })
    if (status === 'blocked') {
      const name = job.groupName ?? job.type ?? 'report'
      const paused = { set: { paused: true }, clear: [], resume: false, actor: 'operator' }
      await this.run({ kind: 'updateGroup', name, key: job.groupKey ?? 'paused', ...paused })
      return this.add({ groupKey: 'paused', ...job })
    }
    const id = await this.add(job)
    if (status === 'pending') return id
    if (status === 'cancelled') {
      await this.run(jobAction('cancel', id))
      return id
    }
    const lease = await this.claimOne({ types: [job.type ?? 'report'] })
    if (lease.id !== id) throw new Error('claimed another job than the one just added')
    if (status === 'completed') await this.run(complete(lease))
    if (status === 'failed') await this.run(fail(lease, { retry: false }))
    if (status === 'retrying') await this.run(fail(lease, { retryInMs: 60_000 }))
    return id
  }

  /** Lets the leases of all running jobs end, and rescues them. */
  async crash(leaseMs = 30_000): Promise<void> {
    await this.advance(leaseMs)
    await this.run(rescue)
  }
}

/** A new kit for each test of the surrounding describe. */
export function eachKit(harness: StoreHarness, defaults: Partial<Defaults> = {}): () => Kit {
  let kit: Kit | undefined
  beforeEach(async () => {
    kit = await Kit.open(harness, defaults)
  })
  afterEach(async () => {
    kit = undefined
    await harness.cleanup()
  })
  return () => {
    if (!kit) throw new Error('a kit is there only while a test runs')
    return kit
  }
}

export function only<Item>(items: readonly Item[]): Item {
  const [item] = items
  if (item === undefined || items.length !== 1) throw new Error(`expected one item, got ${items.length}`)
  return item
}
