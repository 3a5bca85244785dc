/** The jobs of the model, their keys, promotion and expiry. */
import type { Lease, NewJob, OpOf } from '../../../../server/store/ops.ts'
import type { Status } from '../../../../shared/status.ts'
import { finish, leaseEnd, MODEL_DEFAULTS, type ModelJob, newModelJob, rescue, WAITING } from './model-job.ts'

const EXPIRED = 'Expired before a worker claimed it'

/** The expected outcome of an operation: the code of a refusal, or the compared part of the value. */
export type Expected = { readonly code: string } | { readonly value: unknown }

export class ModelJobs {
  jobs: ModelJob[] = []
  readonly kinds = new Map<string, string>()
  private made = 0

  count(type: string, status: Status): number {
    return this.jobs.filter((job) => job.input.type === type && job.status === status).length
  }

  nextDue(): { promoteAt: number | null; leaseAt: number | null } {
    const waiting = this.jobs.filter(({ status }) => WAITING.includes(status))
    const runs = waiting.filter(({ status }) => status !== 'pending').map(({ runAt }) => runAt)
    const expiries = waiting.map(({ input }) => input.expiresAt)
    return { promoteAt: first([...runs, ...expiries]), leaseAt: first(this.jobs.map(({ leaseUntil }) => leaseUntil)) }
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
    this.made += 1
    const job = newModelJob(input, this.made, now)
    this.jobs.push(job)
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
    const lost = this.jobs.filter((job) => job.leaseUntil !== null && job.leaseUntil <= now)
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
    for (const job of this.jobs.filter(({ status }) => WAITING.includes(status))) {
      if (job.input.expiresAt !== null && job.input.expiresAt <= now) finish(job, 'cancelled', EXPIRED, now)
      else if (job.runAt <= now) job.status = 'pending'
    }
  }

  protected cleanup({ status, olderThanMs }: OpOf<'cleanup'>, now: number): unknown {
    const old = (job: ModelJob): boolean =>
      job.finishedAt !== null &&
      job.finishedAt <= now - (olderThanMs ?? 0) &&
      status.some((some) => some === job.status)
    const before = this.jobs.length
    this.jobs = this.jobs.filter((job) => !old(job))
    return { removed: before - this.jobs.length, more: false }
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

function first(instants: readonly (number | null)[]): number | null {
  const known = instants.filter((instant) => instant !== null)
  return known.length === 0 ? null : Math.min(...known)
}
