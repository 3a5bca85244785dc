/** Groups in one commit: counts of keys, admission of jobs, and the hand-on of free places to blocked jobs. */
import type { EffectiveGroupRules } from '../../../../../shared/groups/rules.ts'
import type { Transition } from '../../../../../shared/lifecycle.ts'
import type { Status } from '../../../../../shared/status.ts'
import {
  afterResume,
  endOfLine,
  isCounted,
  MAX_HANDED_ON,
  makesRoom,
  mustWithdraw,
  nextWake,
  placesLeft,
  returningStatus,
  turnOf,
} from '../../../decisions/group-admission.ts'
import type { JobGroup } from '../../../decisions/group-of-job.ts'
import { afterBusy, afterMove } from '../../../decisions/group-slots.ts'
import { type GroupRecord, parseKeyRules } from '../../../rows/group-rows.ts'
import type { LiveRow } from '../../../rows/live-rows.ts'
import type { Catalog } from '../../claims/catalog.ts'
import type { Session } from '../../connection/session.ts'
import type { Ledger } from '../ledger.ts'
import { blockPending, type Handed, handOnLine, handOnLocked, handOnTurns, type NextJob } from './hand-on.ts'
import { type KeyRow, KeyRows, type OptionalKey } from './key-rows.ts'

/** A blocked job that another transaction holds is looked at again after this time, if that one has not handed on. */
const HELD_RETRY_MS = 50

/** A job, and its status before this commit changes it. */
export type GroupedJob = Pick<LiveRow, 'seq' | 'groupName' | 'groupKey'>
/** `runAt`: of a job that makes room, which puts the next one of its key behind it. */
type MovedJob = GroupedJob & { readonly runAt?: number }
type KnownJob = GroupedJob & Pick<LiveRow, 'status'>

interface GroupsParts {
  readonly session: Session
  readonly catalog: Catalog
  readonly ledger: Ledger
}

export class Groups {
  private readonly session: Session
  private readonly catalog: Catalog
  private readonly ledger: Ledger
  private readonly rows: KeyRows
  /** Keys that may have places or need another time to wake, since the last hand-on. */
  private readonly touched = new Set<KeyRow>()
  private readonly types = new Set<string>()
  /** Blocked jobs that were locked with their keys, in the order of the line. */
  private readonly next = new Map<KeyRow, NextJob[]>()
  /** How many jobs this commit may still hand on or block again. */
  private left = MAX_HANDED_ON

  constructor({ session, catalog, ledger }: GroupsParts) {
    this.session = session
    this.catalog = catalog
    this.ledger = ledger
    this.rows = new KeyRows(session)
  }

  /** Before any of these jobs changes its status. Adds the rows of keys that may have none. */
  lockOf(jobs: readonly KnownJob[]): Promise<void> {
    return this.rows.lock(groupsOf(jobs), !jobs.every(({ status }) => isCounted(status)))
  }

  /** Finished jobs do not count, but a failed one may stop its key. */
  lockExisting(jobs: readonly GroupedJob[]): Promise<void> {
    return this.rows.lock(groupsOf(jobs), false)
  }

  lock(groups: readonly JobGroup[]): Promise<void> {
    return this.rows.lock(groups, true)
  }

  /** Adds the rows that statements have locked with their jobs. */
  adopt(records: readonly OptionalKey[]): void {
    for (const record of records) if (typeof record.name === 'string') this.rows.adopt(record)
  }

  /** A key and the next of its blocked jobs, in the order of the line, which a statement has locked together. */
  adoptNext(record: GroupRecord, job: NextJob | null): void {
    const row = this.rows.adopt(record)
    const jobs = this.next.get(row)
    if (jobs && job) jobs.push(job)
    else if (!jobs) this.next.set(row, job ? [job] : [])
  }

  /** Returns those of the jobs that may change now. The keys of the others are held by other transactions: try again soon. */
  async tryLockOf<Job extends KnownJob>(jobs: readonly Job[]): Promise<readonly Job[]> {
    const groups = groupsOf(jobs)
    if (groups.length === 0) return jobs
    await this.rows.tryLock(groups, !jobs.every(({ status }) => isCounted(status)))
    return jobs.filter((job) => {
      const group = groupOf(job)
      return group === null || this.isLocked(group)
    })
  }

  /** Keys of jobs that are counted. */
  tryLock(groups: readonly JobGroup[]): Promise<void> {
    return this.rows.tryLock(groups, false)
  }

  isLocked(group: JobGroup): boolean {
    return this.rows.find(group) !== undefined
  }

  /** From now on this commit holds locks that others wait for while they hold keys. */
  neverWait(): void {
    this.rows.neverWait()
  }

  /** A job of this type with a key can be claimed. */
  claimed(type: string): void {
    this.types.add(type)
  }

  /** Types of the jobs with keys that this commit has found for its claims. */
  claimedTypes(): ReadonlySet<string> {
    return this.types
  }

  keyOf(group: JobGroup): KeyRow {
    const row = this.rows.find(group)
    if (!row) throw new Error(`Key ${group.key} of group ${group.name} was not locked.`)
    return row
  }

  rulesOf({ name, current }: KeyRow): EffectiveGroupRules {
    return this.catalog.groupRules(name, parseKeyRules(current.override))
  }

  /** Where the job would become pending, it may have to wait for its key. */
  admitted(job: KnownJob, transition: Transition): Transition {
    const group = groupOf(job)
    const { next, attempt } = transition
    if (group === null || next.status !== 'pending' || job.status === 'pending') return transition
    const row = this.keyOf(group)
    const move = { seq: job.seq, from: job.status }
    const status = returningStatus(row.current, move, this.rulesOf(row), this.session.now)
    return { ...transition, next: { ...next, status }, attempt: attempt && { ...attempt, statusAfter: status } }
  }

  /** Every change of the status of a job with a key; null: before its insert, or after its removal. */
  move(job: MovedJob, from: Status | null, to: Status | null): void {
    const group = groupOf(job)
    if (group === null || from === to) return
    const row = this.rows.find(group)
    // A job that was not counted, of a key without a row.
    if (!row && !isCounted(from) && !isCounted(to)) return
    const known = row ?? this.keyOf(group)
    // In strict order a job may leave its turn from any status.
    if (!isCounted(from) && !isCounted(to) && this.rulesOf(known).order === 'fair') return
    if (job.runAt !== undefined && makesRoom({ from })) known.lastRunAt = Math.max(known.lastRunAt ?? 0, job.runAt)
    this.moveOf(known, job.seq, from, to)
  }

  /** A handler was refused by an upstream: nothing of the key starts for `ms`. */
  busy(job: GroupedJob, ms: number): void {
    const group = groupOf(job)
    if (group === null) return
    const row = this.keyOf(group)
    this.change(row, afterBusy(row.current, ms, this.session.now))
  }

  /** Overrides of one key. `resume`: it continues after the job that stopped it. */
  override(row: KeyRow, override: string | null, resume: boolean): void {
    this.change(row, { ...(resume && afterResume(row.current)), override })
  }

  /** The next hand-on looks at this key. */
  touch(record: GroupRecord): void {
    this.touched.add(this.rows.adopt(record))
  }

  /**
   * Blocks pending jobs of keys that may not start any, and makes blocked jobs of keys with places pending. At the end of each phase:
   * all decisions of the commit are written. Sends all its statements at once. Returns the jobs that became pending.
   */
  async handOn(): Promise<readonly Handed[]> {
    if (this.touched.size === 0) return []
    const rows = [...this.touched]
    this.touched.clear()
    const { now } = this.session
    const withdrawn = this.toWithdraw(rows.filter((row) => mustWithdraw(row.current, this.rulesOf(row), now)))
    // Keys to withdraw from have no places, so the order of the statements does not matter.
    const wanted = new Map<KeyRow, number>()
    for (const row of rows) {
      const places = placesLeft(row.current, this.rulesOf(row), now, this.left)
      this.left -= places
      if (places > 0) wanted.set(row, places)
    }
    const [blocked, handed] = await Promise.all([
      withdrawn.length > 0 ? blockPending(this.session, withdrawn) : [],
      this.fill(wanted),
    ])
    this.record(blocked, 'pending', 'blocked')
    for (const row of rows) this.setWake(row, wanted.get(row) ?? 0)
    this.touched.clear()
    return handed
  }

  /** When the first key that this commit has locked hands on without an event. */
  firstWakeAt(): number | null {
    return this.rows.firstWakeAt()
  }

  /** Writes the keys that have changed. */
  flush(): void {
    this.rows.flush()
  }

  /** With the number of jobs to block of each key. */
  private toWithdraw(rows: readonly KeyRow[]): readonly (readonly [KeyRow, number])[] {
    const withdrawn: (readonly [KeyRow, number])[] = []
    for (const row of rows) {
      const count = Math.min(row.current.pending, this.left)
      this.left -= count
      if (count > 0) withdrawn.push([row, count])
    }
    return withdrawn
  }

  private async fill(wanted: Map<KeyRow, number>): Promise<readonly Handed[]> {
    if (wanted.size === 0) return []
    const turns: KeyRow[] = []
    const line: (readonly [KeyRow, number])[] = []
    const locked: Handed[] = []
    for (const [row, places] of wanted) {
      const next = this.next.get(row) ?? []
      const hasTurn = turnOf(row.current, this.rulesOf(row)) !== null
      if (!hasTurn && next.length >= places) {
        const runAt = endOfLine(row.lastRunAt, this.session.now)
        for (const { seq, id, type, priority } of next.splice(0, places))
          locked.push({ seq, id, type, priority, runAt, groupName: row.name, groupKey: row.key })
        continue
      }
      this.next.delete(row)
      if (hasTurn) turns.push(row)
      else line.push([row, places])
    }
    if (locked.length > 0) handOnLocked(this.session, locked)
    const [ofTurns, ofLine] = await Promise.all([
      turns.length > 0 ? handOnTurns(this.session, turns) : null,
      line.length > 0 ? handOnLine(this.session, line) : [],
    ])
    const handed = [...locked, ...(ofTurns?.handed ?? []), ...ofLine]
    this.record(handed, 'blocked', 'pending')
    for (const row of turns) {
      // Until the job that has its turn moves itself, there is nothing to hand on.
      if (!ofTurns?.blocked.has(row.current.turnSeq ?? 0)) wanted.set(row, STUCK)
    }
    for (const { groupName, groupKey } of handed) {
      const row = groupName !== null && groupKey !== null && this.rows.find({ name: groupName, key: groupKey })
      if (row) wanted.set(row, (wanted.get(row) ?? 0) - 1)
    }
    return handed
  }

  /** `unfilled`: places for which no blocked job was free. */
  private setWake(row: KeyRow, unfilled: number): void {
    const { now } = this.session
    const rules = this.rulesOf(row)
    // Without places left, the rest follows in the next commit.
    const isOpen = this.left === 0 && mustWithdraw(row.current, rules, now)
    const at = isOpen ? now : nextWake(row.current, rules, now, unfilled === STUCK)
    const wakeAt = at === null || unfilled <= 0 ? at : Math.max(at, now + HELD_RETRY_MS)
    if (wakeAt !== row.current.wakeAt) this.change(row, { wakeAt })
  }

  private record(jobs: readonly Handed[], from: Status, to: Status): void {
    for (const job of jobs) {
      this.ledger.record({ id: job.id, type: job.type, from, to })
      this.move(job, from, to)
    }
  }

  private moveOf(row: KeyRow, seq: number, from: Status | null, to: Status | null): void {
    this.change(row, afterMove(row.current, { seq, from, to }, this.rulesOf(row), this.session.now))
  }

  private change(row: KeyRow, change: Partial<GroupRecord>): void {
    row.current = { ...row.current, ...change }
    this.touched.add(row)
  }
}

/** Stands for the number of places of a key whose next job is not blocked. */
const STUCK = -1

/** null: the job has no key. */
export function groupOf({ groupName, groupKey }: GroupedJob | Handed): JobGroup | null {
  return groupName === null || groupKey === null ? null : { name: groupName, key: groupKey }
}

function groupsOf(jobs: readonly GroupedJob[]): readonly JobGroup[] {
  return jobs.flatMap((job) => groupOf(job) ?? [])
}
