/** Model of the queue in memory, written from the design, that stores are compared with. */

import { Reservations } from '../../../../server/store/decisions/reservations.ts'
import type { Op, OpKind, OpOf } from '../../../../server/store/ops.ts'
import type { Status } from '../../../../shared/status.ts'
import { byClaimOrder, fail, finish, leaseEnd, type ModelJob, release, take, WAITING, wait } from './model-job.ts'
import { type Expected, ModelJobs } from './model-jobs.ts'

const TERMINAL: readonly Status[] = ['completed', 'failed', 'cancelled']
const PHASES: readonly (readonly OpKind[])[] = [
  ['enqueue'],
  ['promote', 'admitBlocked', 'rescue', 'renewLeases'],
  ['claim'],
]

export class Model extends ModelJobs {
  private readonly paused = new Set<string>()
  private readonly slots = new Map<string, number>()
  /** One per connection. */
  private readonly reservations = new Map<string, Reservations>()
  private connection = ''

  /** One expected outcome per operation, in the same order; applied in phases. */
  commit(ops: readonly Op[], now: number, connection: string): Expected[] {
    this.connection = connection
    const phase = (op: Op): number => PHASES.findIndex((kinds) => kinds.includes(op.kind))
    const order = ops.map((_, index) => index).toSorted((a, b) => phase(at(ops, a)) - phase(at(ops, b)) || a - b)
    const answers: Expected[] = []
    this.groups.begin()
    let last = -1
    for (const index of order) {
      const op = at(ops, index)
      if (phase(op) !== last) {
        this.groups.handOn(now)
        // Claims see the same places: those that they free are handed on after the last one.
        if (op.kind === 'claim') this.promote(now)
        last = phase(op)
      }
      answers[index] = this.run(op, now)
    }
    this.groups.handOn(now)
    return answers
  }

  private run(op: Op, now: number): Expected {
    switch (op.kind) {
      case 'enqueue':
        return this.enqueue(op.jobs, now)
      case 'claim':
        return { value: this.claim(op, now) }
      case 'complete':
      case 'fail':
      case 'release':
        return this.settle(op, now)
      case 'heartbeat':
        return { value: this.heartbeat(op, now) }
      case 'progress': {
        const job = this.held(op)
        if (job) job.unconfirmed = 0
        return this.holding(op)
      }
      case 'jobAction':
        return this.jobAction(op, now)
      case 'promote':
        this.promote(now)
        return { value: { more: false } }
      case 'rescue':
        return { value: { rescued: this.rescue(now), more: false } }
      case 'renewLeases':
        return { value: { renewed: this.renew(now) } }
      case 'cleanup':
        return { value: this.cleanup(op, now) }
      case 'overrideType':
        return this.override(op)
      case 'updateGroup':
        return this.groups.update(op)
      case 'admitBlocked':
        this.groups.wakeAll(now)
        return { value: { more: false } }
      default:
        throw new Error(`the model knows no ${op.kind}`)
    }
  }

  private claim(op: OpOf<'claim'>, now: number): unknown {
    const used = this.jobs.filter(({ request }) => op.requestId !== null && request === op.requestId)
    if (used.length > 0) {
      const wanted = op.settle ? 'completed' : 'processing'
      return used
        .filter(({ status }) => status === wanted)
        .toSorted(byClaimOrder)
        .map(claimed)
    }
    const permitted = this.permitted(op, now)
    if (permitted === 'nothing') return []
    const taken: ModelJob[] = []
    while (taken.length < (permitted === 'others' ? op.limit : 1)) {
      const next = permitted === 'others' ? this.line(op).find(({ crashes }) => crashes === 0) : permitted
      if (!next) break
      take(next, op, now)
      taken.push(next)
    }
    // Settled after all were taken: within one claim its own jobs use slots of their type.
    if (op.settle) for (const job of taken) finish(job, 'completed', null, now, 'complete')
    return taken.map(claimed)
  }

  private line(op: OpOf<'claim'>): ModelJob[] {
    return this.jobs.filter((job) => this.claimable(job, op.types)).toSorted(byClaimOrder)
  }

  /** A job with crashes goes alone to an idle worker; for a busy worker it is reserved. */
  private permitted(op: OpOf<'claim'>, now: number): ModelJob | 'nothing' | 'others' {
    const [first] = this.line(op)
    if (!first) return 'others'
    if (op.settle) {
      if (first.crashes === 0) return 'others'
      this.reservations.get(this.connection)?.taken(first.seq)
      return first
    }
    const held = this.jobs.filter(({ status, worker }) => status === 'processing' && worker === op.worker)
    if (held.some(({ crashes }) => crashes > 0)) return 'nothing'
    if (!this.jobs.some(({ status, crashes }) => crashes > 0 && ['pending', 'processing'].includes(status)))
      return 'others'
    const reservations = this.reservations.get(this.connection) ?? new Reservations()
    this.reservations.set(this.connection, reservations)
    const permitted = this.reserved(op, held.length > 0, reservations, now)
    if (typeof permitted === 'object') reservations.taken(permitted.seq)
    return permitted
  }

  private reserved(
    op: OpOf<'claim'>,
    isBusy: boolean,
    reservations: Reservations,
    now: number,
  ): ModelJob | 'nothing' | 'others' {
    const line = this.line(op)
    const reserved = reservations.of(op.worker, now)
    if (reserved && !this.asks(op.types, reserved.type)) return 'nothing'
    const mine = line.find(({ seq }) => seq === reserved?.seq)
    if (mine) {
      reservations.claimed(op.worker, now)
      return isBusy ? 'nothing' : mine
    }
    if (reserved) reservations.end(op.worker)
    const next = line.find(({ crashes, seq: of }) => crashes === 0 || !isBusy || !reservations.isReserved(of, now))
    if (!next || next.crashes === 0) return 'others'
    if (!isBusy) return next
    return reservations.add(op.worker, { seq: next.seq, type: next.input.type }, now) ? 'nothing' : 'others'
  }

  private asks(types: readonly string[] | null, type: string): boolean {
    return types ? types.includes(type) : this.kinds.get(type) === 'job'
  }

  private claimable({ input: { type }, status }: ModelJob, types: readonly string[] | null): boolean {
    const free = this.count(type, 'processing') < (this.slots.get(type) ?? Number.POSITIVE_INFINITY)
    return status === 'pending' && this.asks(types, type) && free && !this.paused.has(type)
  }

  private settle(op: OpOf<'complete'> | OpOf<'fail'> | OpOf<'release'>, now: number): Expected {
    const job = this.find(op.id)
    if (!job) return { code: 'NOT_FOUND' }
    const end = { id: op.id, version: op.version }
    if (job.status !== 'processing' || job.version !== op.version) {
      const before = job.ends.get(op.version)
      if (before?.word !== op.kind) return { code: 'STALE_CLAIM' }
      return { value: { ...end, status: before.status, runAt: before.runAt, repeated: true } }
    }
    if (op.kind === 'complete') finish(job, 'completed', null, now, op.kind)
    else if (op.kind === 'release') {
      release(job, op.delayMs, now)
      if (op.groupBusy) job.key?.refused(op.delayMs, now)
    } else fail(job, op, now)
    const runAt = job.finishedAt === null ? job.runAt : null
    return { value: { ...end, status: job.status, runAt, repeated: false } }
  }

  private heartbeat(op: OpOf<'heartbeat'>, now: number): unknown {
    const answer = { extended: [] as string[], lost: [] as string[], cancelled: [] as string[], draining: false }
    for (const lease of op.leases) {
      const job = this.held(lease)
      const until = job ? leaseEnd({ ...job, leaseMs: op.leaseMs ?? job.leaseMs }, now) : now
      if (!job || until <= now) answer.lost.push(lease.id)
      else {
        job.leaseUntil = until
        job.unconfirmed = 0
        job.leaseMs = op.leaseMs ?? job.leaseMs
        answer[job.cancelAskedAt === null ? 'extended' : 'cancelled'].push(lease.id)
      }
    }
    return answer
  }

  private jobAction({ action, id }: OpOf<'jobAction'>, now: number): Expected {
    const job = this.find(id)
    if (!job) return { code: 'NOT_FOUND' }
    const { status } = job
    const may = MAY[action]
    if (may.already.includes(status)) return { value: { id, status, changed: false } }
    if (!may.change.includes(status)) return { code: 'WRONG_STATE' }
    const hasExpired = job.input.expiresAt !== null && job.input.expiresAt <= now
    if (action === 'retry' && hasExpired) return { code: 'WRONG_STATE' }
    if (action === 'remove') this.remove(job)
    else if (action === 'cancel' && status === 'processing') {
      if (job.cancelAskedAt !== null) return { value: { id, status, changed: false } }
      job.cancelAskedAt = now
    } else if (action === 'cancel') finish(job, 'cancelled', job.error, now)
    else {
      if (this.holder(job.input.type, job.input.dedupeKey, job)) return { code: 'DUPLICATE_KEY' }
      if (action === 'retry') Object.assign(job, { attempts: 0, crashes: 0 })
      wait(job, 'pending', now, action === 'retry' ? null : job.error, now)
    }
    return { value: { id, status: job.status, changed: true } }
  }

  private override({ name, set, clear }: OpOf<'overrideType'>): Expected {
    if (!this.kinds.has(name)) return { code: 'NOT_FOUND' }
    if (set.paused) this.paused.add(name)
    if (clear.includes('paused')) this.paused.delete(name)
    if (typeof set.maxConcurrency === 'number') this.slots.set(name, set.maxConcurrency)
    if (clear.includes('maxConcurrency')) this.slots.delete(name)
    return { value: null }
  }
}

/** The statuses that an action changes, and those in which it has nothing to do. */
const MAY: Record<OpOf<'jobAction'>['action'], { change: readonly Status[]; already: readonly Status[] }> = {
  retry: { change: ['retrying', 'failed', 'cancelled'], already: [] },
  runNow: { change: ['scheduled', 'retrying'], already: ['pending', 'blocked'] },
  cancel: { change: [...WAITING, 'processing'], already: ['cancelled'] },
  remove: { change: [...WAITING, ...TERMINAL], already: [] },
}

function at<Item>(items: readonly Item[], index: number): Item {
  const item = items[index]
  if (item === undefined) throw new Error(`nothing at ${index}`)
  return item
}

function claimed({ input: { id }, version, attempts }: ModelJob): unknown {
  return { id, version, attempts }
}
