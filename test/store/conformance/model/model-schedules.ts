/** The schedules of the model, with the jobs of their ticks. */
import type { NewJob, Op } from '../../../../server/store/ops.ts'
import type { WhenFull } from '../../../../shared/contracts/groups.ts'
import type { JobTick, Overlap } from '../../../../shared/schedules/schedule.ts'
import type { Status } from '../../../../shared/status.ts'
import { plainJob } from '../fixtures.ts'
import { Model } from './model.ts'
import type { Expected } from './model-jobs.ts'
import { ModelSchedule, type ModelSettings, type ModelTick } from './model-schedule.ts'
import { ModelTrust } from './model-trust.ts'

const GROUP = 'millrace.schedules'
export const JOB_TYPE = 'report'

const WHEN_FULL: Record<Overlap, WhenFull | null> = {
  skip: 'skip',
  queueOne: 'replace',
  queueAll: 'wait',
  cancel: 'cancel',
  allow: null,
}

export class ScheduleModel extends Model {
  readonly schedules = new Map<string, ModelSchedule>()
  readonly trust = new ModelTrust()

  constructor() {
    super()
    this.groups.declare(GROUP, { concurrency: 1, window: 1 })
  }

  override commit(ops: readonly Op[], now: number, connection: string): Expected[] {
    const before = new Map(this.jobs.map((job) => [job, job.status] as const))
    const answers = super.commit(ops, now, connection)
    for (const [job, status] of before) if (job.status !== status) this.jobEnded(job.input.tick, job.status, now)
    return answers
  }

  private jobEnded(tick: JobTick | undefined, status: Status, now: number): void {
    if (!tick || (status !== 'completed' && status !== 'failed')) return
    this.schedules.get(tick.schedule)?.jobEnded(status === 'completed', now)
  }

  /** One declaration: the full set of its owner. */
  declare(given: ReadonlyMap<string, ModelSettings>, graceMs: number, now: number): void {
    for (const [name, settings] of given) this.declareOne(name, settings, now)
    for (const schedule of this.schedules.values()) if (!given.has(schedule.name)) schedule.orphan(now, graceMs)
  }

  private declareOne(name: string, settings: ModelSettings, now: number): void {
    const known = this.schedules.get(name)
    const schedule = known ?? new ModelSchedule(name, settings)
    this.schedules.set(name, schedule)
    if (known && known.orphanedAt === null && isDeepEqual(known.declared, settings)) return
    const hadTicks = schedule.next !== null && haveSameTicks(schedule.settings, { ...settings, ...schedule.override })
    Object.assign(schedule, { declared: settings, orphanedAt: null, stopsAt: null })
    if (!known || !hadTicks) schedule.begin(now)
  }

  update(schedule: ModelSchedule, set: Partial<ModelSettings>, now: number): void {
    const before = schedule.settings
    schedule.override = { ...schedule.override, ...set }
    if (!haveSameTicks(before, schedule.settings)) schedule.begin(now)
  }

  /** One commit for due ticks. `ids`: of the jobs that it would enqueue. */
  tick(schedule: ModelSchedule, ids: readonly string[], now: number): void {
    const ticks = schedule.due(now)
    const left = [...ids]
    let runs = 0
    this.groups.begin()
    for (const tick of ticks) {
      const { at, missed } = tick
      if (tick.outcome === 'missed') {
        schedule.records.set(at, { at, origin: 'tick', outcome: 'missed', jobId: null, missed })
        continue
      }
      const id = left.shift() ?? ''
      const jobId = this.enqueueTick(schedule, tick, { id, dedupeKey: `schedule:${schedule.name}:${at}` }, now)
      if (jobId === id) runs += 1
      const outcome = jobId === id ? 'enqueued' : 'skipped'
      schedule.records.set(at, { at, origin: 'tick', outcome, jobId, missed })
    }
    this.groups.handOn(now)
    schedule.processed(ticks, runs)
  }

  /** `id`: of its job, if one is enqueued. */
  runNow(schedule: ModelSchedule, id: string, now: number): void {
    this.groups.begin()
    const tick = { at: now, outcome: 'enqueued', previous: schedule.last, missed: 0 } as const
    const jobId = this.enqueueTick(schedule, tick, { id, dedupeKey: null }, now)
    this.groups.handOn(now)
    const outcome = jobId === id ? 'enqueued' : 'skipped'
    schedule.records.set(now, { at: now, origin: 'manual', outcome, jobId, missed: 0 })
  }

  /** Returns the id of the job that is enqueued, or of the one that stands for it. */
  private enqueueTick(
    { name, settings }: ModelSchedule,
    { at, previous, missed }: ModelTick,
    job: Pick<NewJob, 'dedupeKey' | 'id'>,
    now: number,
  ): string {
    const whenFull = WHEN_FULL[settings.overlap]
    const group = whenFull === null ? {} : { groupName: GROUP, groupKey: name, whenFull }
    const tick = { schedule: name, at, previous, missed, backfill: false }
    this.enqueue([plainJob({ type: JOB_TYPE, ...group, ...job, tick })], now)
    const holder = this.find(job.id) ?? this.standIn(name, job.dedupeKey)
    if (!holder) throw new Error('the model neither enqueued nor found the job of a tick')
    return holder.input.id
  }

  private standIn(name: string, dedupeKey: string | null) {
    const sameTick = this.holder(JOB_TYPE, dedupeKey)
    return sameTick ?? this.jobs.findLast((job) => job.input.groupKey === name && job.finishedAt === null)
  }
}

function haveSameTicks(one: ModelSettings, other: ModelSettings): boolean {
  const keys = ['every', 'offset', 'startsAt', 'endsAt', 'maxRuns'] as const
  return keys.every((key) => one[key] === other[key])
}

function isDeepEqual(one: object, other: object): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
