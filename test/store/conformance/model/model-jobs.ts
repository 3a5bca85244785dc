/** The jobs of the model, their keys, promotion and expiry. */
import type { Lease, NewJob, OpOf } from '../../../../server/store/ops.ts'
import type { Status } from '../../../../shared/status.ts'
import { ModelGroups } from './model-groups.ts'
import { finish, leaseEnd, MODEL_DEFAULTS, type ModelJob, move, newModelJob, rescue, WAITING } from './model-job.ts'

const EXPIRED = 'Expired before a worker claimed it'
const SKIPPED = 'Skipped: its key was full'

/** The expected outcome of an operation: the code of a refusal, or the compared part of the value. */
export type Expected = { readonly code: string } | { readonly value: unknown }

export class ModelJobs {
  jobs: ModelJob[] = []
  readonly kinds = new Map<string, string>()
  readonly groups = new ModelGroups()
  private made = 0

  count(type: string, status: Status): number {
    return this.jobs.filter((job) => job.input.type === type && job.status === status).length
  }

  nextDue(): { promoteAt: number | null; leaseAt: number | null } {
    const waiting = this.jobs.filter(({ status }) => WAITING.includes(status))
    const runs = waiting.filter(isDelayed).map(({ runAt }) => runAt)
    const expiries = waiting.map(({ input }) => input.expiresAt)
    return {
      promoteAt: first([...runs, ...expiries, ...this.groups.wakes()]),
      leaseAt: first(this.jobs.map(({ leaseUntil }) => leaseUntil)),
    }
  }

  protected enqueue(inputs: readonly NewJob[], now: number): Expected {
    const kinds = new Map(this.kinds)
    for (const { type, kind } of inputs) {
      if ((kinds.get(type) ?? kind) !== kind) return { code: 'WRONG_STATE' }
      kinds.set(type, kind)
    }
    for (const [type, kind] of kinds) this.kinds.set(type, kind)
    return { value: inputs.map((input) => this.insert(input, now)) }
  }

  private insert(input: NewJob, now: number): unknown {
    const holder = this.holder(input.type, input.dedupeKey)
    if (holder) return { id: holder.input.id, status: holder.status, deduplicated: true }
    const key = this.groups.keyOf(input)
    const job = newModelJob(input, this.made + 1, key, now)
    const isDue = job.status === 'pending'
    const other = key && isDue ? this.groups.meetFullKey(job, key, input.whenFull, now) : null
    if (other) return { id: other.input.id, status: other.status, deduplicated: true }
    this.made += 1
    this.jobs.push(job)
    if (key) {
      if (isDue && !key.admits(job, now)) job.status = 'blocked'
      key.added(job)
    }
    return { id: input.id, status: job.status, deduplicated: false }
  }

  protected holder(type: string, key: string | null, not?: ModelJob): ModelJob | undefined {
    if (key === null) return undefined
    return this.jobs.find(
      (job) =>
        job !== not &&
        job.input.type === type &&
        job.input.dedupeKey === key &&
        (job.input.dedupeUntil === 'removed' || job.finishedAt === null),
    )
  }

  protected rescue(now: number): number {
    const lost = this.jobs
      .filter(({ leaseUntil }) => leaseUntil !== null && leaseUntil <= now)
      .toSorted((a, b) => (a.leaseUntil ?? 0) - (b.leaseUntil ?? 0) || a.seq - b.seq)
    for (const job of lost) rescue(job, now)
    return lost.length
  }

  protected renew(now: number): number {
    const held = this.jobs.filter((job) => job.status === 'processing')
    for (const job of held) {
      const end = leaseEnd(job, now)
      // A deadline that passed during an outage is extended once.
      job.leaseUntil = end > now ? end : now + (job.leaseMs ?? MODEL_DEFAULTS.leaseMs)
    }
    return held.length
  }

  protected promote(now: number): void {
    const waiting = this.jobs.filter(({ status }) => WAITING.includes(status))
    for (const job of waiting) {
      if (job.input.expiresAt !== null && job.input.expiresAt <= now) finish(job, 'cancelled', EXPIRED, now)
    }
    const due = waiting.filter((job) => isDelayed(job) && job.runAt <= now)
    for (const job of due.toSorted((a, b) => a.runAt - b.runAt || a.seq - b.seq)) {
      // A job of its key that became due before may have replaced it.
      if (isDelayed(job)) this.becomeDue(job, now)
    }
    this.groups.wake(now)
  }

  private becomeDue(job: ModelJob, now: number): void {
    const { key } = job
    // A job that has never run meets the rule of the group now.
    if (key && job.version === 0 && this.groups.meetFullKey(job, key, null, now)) {
      finish(job, 'cancelled', SKIPPED, now)
    } else move(job, !key || key.admits(job, now) ? 'pending' : 'blocked')
  }

  protected cleanup({ status, olderThanMs }: OpOf<'cleanup'>, now: number): unknown {
    const old = (job: ModelJob): boolean =>
      job.finishedAt !== null &&
      job.finishedAt <= now - (olderThanMs ?? 0) &&
      status.some((some) => some === job.status)
    const removed = this.jobs.filter(old)
    for (const job of removed) this.remove(job)
    return { removed: removed.length, more: false }
  }

  protected remove(job: ModelJob): void {
    this.jobs = this.jobs.filter((other) => other !== job)
    job.key?.removed(job)
  }

  protected holding(lease: Lease): Expected {
    if (!this.find(lease.id)) return { code: 'NOT_FOUND' }
    return this.held(lease) ? { value: null } : { code: 'STALE_CLAIM' }
  }

  protected held({ id, version }: Lease): ModelJob | undefined {
    const job = this.find(id)
    return job?.status === 'processing' && job.version === version ? job : undefined
  }

  protected find(id: string): ModelJob | undefined {
    return this.jobs.find((job) => job.input.id === id)
  }
}

function isDelayed({ status }: ModelJob): boolean {
  return status === 'scheduled' || status === 'retrying'
}

function first(instants: readonly (number | null)[]): number | null {
  const known = instants.filter((instant) => instant !== null)
  return known.length === 0 ? null : Math.min(...known)
}
