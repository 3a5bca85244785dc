/** One key of a group in the model: its rules, and which job of it may be ready. Counts are those of its jobs. */
import type { GroupRules } from '../../../../shared/contracts/groups.ts'
import type { Status } from '../../../../shared/status.ts'
import { type ModelJob, move } from './model-job.ts'

const DEFAULT_WINDOW = 4
/** How far a job may be put ahead of the clock. */
const MAX_AHEAD_MS = 1_000
const COUNTED: readonly Status[] = ['pending', 'processing', 'blocked']

export class ModelKey {
  readonly jobs = new Set<ModelJob>()
  /** Rules of this key alone. */
  override: GroupRules = {}
  /** Strict order: from when it is ready until it is finished. */
  private turn: ModelJob | null = null
  /** Strict order: the job that has its turn failed for good. */
  private isStopped = false
  private busyUntil = 0
  /** When the next blocked job is ready without another event, as of the last hand-on. */
  wakeAt: number | null = null
  /** Changed since the last hand-on. */
  private isTouched = false
  /** The latest `runAt` of the jobs that made room in this commit. */
  private lastRunAt: number | null = null
  private readonly groupRules: () => GroupRules

  constructor(groupRules: () => GroupRules) {
    this.groupRules = groupRules
  }

  private get rules() {
    const rules = { ...this.groupRules(), ...this.override }
    const isStrict = rules.order === 'strict'
    const concurrency = isStrict ? 1 : (rules.concurrency ?? Number.POSITIVE_INFINITY)
    const window = Math.min(rules.window ?? DEFAULT_WINDOW, concurrency)
    return { ...rules, isStrict, concurrency, window }
  }

  get whenFull() {
    return this.rules.whenFull ?? 'wait'
  }

  begin(): void {
    this.lastRunAt = null
  }

  of(...statuses: readonly Status[]): ModelJob[] {
    return [...this.jobs].filter(({ status }) => statuses.includes(status))
  }

  /** Whether a new or returning job is ready at once: behind those that are blocked, unless it has its turn. */
  admits(job: ModelJob, now: number): boolean {
    const isFirst = this.rules.isStrict && this.turn === job
    return (isFirst || this.of('blocked').every((other) => other === job)) && this.hasRoom(job, now)
  }

  private hasRoom(job: ModelJob, now: number): boolean {
    if (this.rules.isStrict && this.turn !== null && this.turn !== job) return false
    return this.busyUntil <= now && this.hasSlot(job)
  }

  private hasSlot(job: ModelJob | null): boolean {
    const { paused, concurrency, window } = this.rules
    const pending = this.of('pending').filter((other) => other !== job).length
    const processing = this.of('processing').filter((other) => other !== job).length
    return !paused && pending + processing < concurrency && pending < window
  }

  added(job: ModelJob): void {
    this.jobs.add(job)
    this.takeTurn(job, job.status)
    this.noteMove(null, job.status)
  }

  /** `runAt`: that the job had before. */
  moved(job: ModelJob, from: Status, runAt: number): void {
    this.takeTurn(job, job.status)
    this.noteMove(from, job.status)
    this.noteRoom(from, runAt)
  }

  removed(job: ModelJob): void {
    this.jobs.delete(job)
    this.takeTurn(job, null)
    this.noteMove(job.status, null)
    this.noteRoom(job.status, job.runAt)
  }

  /** Only in strict order do delayed and finished jobs matter to the others. */
  private noteMove(from: Status | null, to: Status | null): void {
    const isCounted = (status: Status | null) => status !== null && COUNTED.includes(status)
    this.isTouched ||= isCounted(from) || isCounted(to) || this.rules.isStrict
  }

  private noteRoom(from: Status, runAt: number): void {
    if (from === 'pending' || from === 'processing') this.lastRunAt = Math.max(this.lastRunAt ?? 0, runAt)
  }

  private takeTurn(job: ModelJob, to: Status | null): void {
    if (!this.rules.isStrict) return
    if (to === 'pending' || to === 'processing') {
      this.turn ??= job
      if (this.turn === job) this.isStopped = false
    } else if (this.turn === job) {
      const isOver = to === null || to === 'completed' || to === 'cancelled' || to === 'failed'
      this.isStopped = to === 'failed' && this.rules.onDead === 'stop'
      if (isOver && !this.isStopped) this.turn = null
    }
  }

  /** A handler threw GroupBusy. */
  refused(ms: number, now: number): void {
    if (ms === 0) return
    this.busyUntil = Math.max(this.busyUntil, now + ms)
    this.isTouched = true
  }

  changed(override: GroupRules, isResumed: boolean): void {
    this.override = override
    this.isTouched = true
    if (!isResumed || !this.isStopped) return
    this.isStopped = false
    this.turn = null
  }

  touch(): void {
    this.isTouched = true
  }

  handOn(now: number): void {
    if (!this.isTouched) return
    this.isTouched = false
    if (this.rules.paused || this.busyUntil > now) {
      for (const job of this.of('pending')) {
        move(job, 'blocked')
        job.runAt = Math.min(job.runAt, job.createdAt)
      }
    }
    // Behind the job that made room: at the end of the line.
    const runAt = this.lastRunAt === null ? now : Math.min(Math.max(now, this.lastRunAt + 1), now + MAX_AHEAD_MS)
    for (let next = this.next(now); next; next = this.next(now)) {
      move(next, 'pending')
      next.runAt = runAt
    }
    this.isTouched = false
    const isWaiting = this.of('blocked').length > 0 && !this.isStopped && this.hasSlot(null)
    this.wakeAt = isWaiting && this.busyUntil > now ? this.busyUntil : null
  }

  private next(now: number): ModelJob | undefined {
    return this.of('blocked')
      .toSorted((a, b) => b.input.priority - a.input.priority || a.runAt - b.runAt || a.seq - b.seq)
      .find((job) => this.hasRoom(job, now))
  }
}
