/** Groups in a commit: counts per key follow each change of a job, and blocked jobs become pending where there is room. */
import type { WhenFull } from '../../../../../shared/contracts/groups.ts'
import type { EffectiveGroupRules } from '../../../../../shared/groups/rules.ts'
import {
  type Admission,
  admissionOfNew,
  afterResume,
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
import { afterBusy, afterMove, type Move } from '../../../decisions/group-slots.ts'
import type { LiveRow } from '../../../rows/live-rows.ts'
import type { Catalog } from '../../claims/catalog.ts'
import type { Client } from '../../connection/open.ts'
import type { Ledger } from '../ledger.ts'
import { KeyJobs } from './key-jobs.ts'
import { type KeyEntry, KeyRows } from './key-rows.ts'

/** Smaller steps of the clock delay a key by no more than themselves. */
const SET_BACK_MS = 1_000

export class Groups {
  readonly rows: KeyRows
  private readonly catalog: Catalog
  private readonly jobs: KeyJobs
  /** Keys that may have room for blocked jobs, or have to block pending ones. */
  private readonly touched = new Set<KeyEntry>()
  /** How many jobs this commit may still hand on or block again. */
  private budget = MAX_HANDED_ON
  private lastCommitAt = 0
  /** The clock was set back, and wake times from before may be far ahead. */
  private isSetBack = false

  constructor(client: Client, ledger: Ledger, catalog: Catalog) {
    this.rows = new KeyRows(client)
    this.catalog = catalog
    this.jobs = new KeyJobs(client, ledger)
  }

  begin(now: number): void {
    this.rows.begin()
    this.touched.clear()
    this.budget = MAX_HANDED_ON
    this.isSetBack ||= now < this.lastCommitAt - SET_BACK_MS
    this.lastCommitAt = now
    if (this.isSetBack) this.isSetBack = this.touchAhead(now)
  }

  /** true: there are more. */
  private touchAhead(now: number): boolean {
    const keys = this.rows.writtenAfter(now, MAX_HANDED_ON)
    // Written again in any case, so that the next commit finds others.
    for (const key of keys) this.rows.set(this.touch(key), {})
    return keys.length === MAX_HANDED_ON
  }

  forget(): void {
    this.rows.forget()
    this.touched.clear()
  }

  mark(): number {
    return this.rows.mark()
  }

  rollback(mark: number): void {
    for (const entry of this.rows.rollback(mark)) this.touched.add(entry)
  }

  /** The key may have room: `handOn` looks at it. */
  touch(group: JobGroup): KeyEntry {
    const entry = this.rows.entry(group)
    this.touched.add(entry)
    return entry
  }

  rulesOf({ name, rules }: Pick<KeyEntry, 'name' | 'rules'>): EffectiveGroupRules {
    return this.catalog.groupRules(name, rules)
  }

  /** A job of the key has changed its status. `runAt`: of the job, which puts the next one behind it. */
  moved(group: JobGroup, move: Move, now: number, runAt: number | null = null): void {
    const rules = this.catalog.groupRules(group.name)
    // In fair order only counted statuses matter; in strict order a job may leave its turn from any status.
    if (rules.order === 'fair' && !counts(move)) return
    const entry = this.touch(group)
    if (runAt !== null && makesRoom(move)) entry.lastRunAt = Math.max(entry.lastRunAt ?? 0, runAt)
    this.rows.setState(entry, afterMove(entry.state, move, entry.rules ? this.rulesOf(entry) : rules, now))
  }

  /** What happens to a new job that is due. `seq`: of a delayed job that has become due. */
  admission(group: JobGroup, whenFull: WhenFull | null, now: number, seq?: number): Admission {
    const entry = this.rows.entry(group)
    return admissionOfNew(entry.state, this.rulesOf(entry), whenFull, now, seq)
  }

  /** The status of a job that comes back, where it would be pending without a group. */
  returning(group: JobGroup, job: Pick<Move, 'seq' | 'from'>, now: number): 'pending' | 'blocked' {
    const entry = this.rows.entry(group)
    return returningStatus(entry.state, job, this.rulesOf(entry), now)
  }

  /** A handler threw GroupBusy: the pending jobs of the key are blocked again. */
  busy(group: JobGroup, ms: number, now: number): void {
    const entry = this.touch(group)
    this.rows.set(entry, { state: afterBusy(entry.state, ms, now) })
  }

  /** A stopped key continues without the job that stopped it. */
  resume(group: JobGroup): void {
    const entry = this.touch(group)
    this.rows.set(entry, { state: afterResume(entry.state) })
  }

  /** Makes blocked jobs of the touched keys pending while there is room; sets when to look again. */
  handOn(now: number): void {
    for (const entry of this.touched) this.settleKey(entry, now)
    this.touched.clear()
  }

  /** Nothing more is handed on by this commit. */
  get isSpent(): boolean {
    return this.budget === 0
  }

  /** Hands on the keys whose time has come; true: there may be more of them. */
  wake(now: number, limit: number): boolean {
    const at = this.rows.nextWake()
    if (at === null || at > now) return false
    const keys = this.rows.woken(now, limit)
    for (const key of keys) this.touch(key)
    this.handOn(now)
    return keys.length === limit || this.budget === 0
  }

  flush(now: number): void {
    this.handOn(now)
    this.rows.flush(now)
  }

  private settleKey(entry: KeyEntry, now: number): void {
    const rules = this.rulesOf(entry)
    if (mustWithdraw(entry.state, rules, now)) this.withdraw(entry, rules, now)
    const isStuck = entry.state.blocked > 0 && !this.admit(entry, rules, now)
    // Without budget the rest follows in the next commit.
    const isOpen = this.budget === 0 && mustWithdraw(entry.state, rules, now)
    const wakeAt = isOpen ? now : nextWake(entry.state, rules, now, isStuck)
    if (wakeAt !== entry.wakeAt) this.rows.set(entry, { wakeAt })
  }

  private withdraw(entry: KeyEntry, rules: EffectiveGroupRules, now: number): void {
    for (const job of this.jobs.pending(entry, Math.min(entry.state.pending, this.budget))) {
      this.jobs.block(job, now)
      this.budget -= 1
      this.move(entry, { seq: job.seq, from: 'pending', to: 'blocked' }, rules, now)
    }
  }

  /** false: there is room, and no job may use it, because the one that has its turn in strict order waits for something else. */
  private admit(entry: KeyEntry, rules: EffectiveGroupRules, now: number): boolean {
    const places = placesLeft(entry.state, rules, now, this.budget)
    if (places === 0) return true
    const jobs = this.jobs.next(entry, turnOf(entry.state, rules), places)
    for (const job of jobs) {
      this.jobs.admit(job, entry.lastRunAt, now)
      this.budget -= 1
      this.move(entry, { seq: job.seq, from: 'blocked', to: 'pending' }, rules, now)
    }
    return jobs.length === places
  }

  private move(entry: KeyEntry, move: Move, rules: EffectiveGroupRules, now: number): void {
    this.rows.setState(entry, afterMove(entry.state, move, rules, now))
  }
}

/** The group of a job; null: it has none. */
export function groupOfRow({ groupName, groupKey }: Pick<LiveRow, 'groupName' | 'groupKey'>): JobGroup | null {
  return groupName === null || groupKey === null ? null : { name: groupName, key: groupKey }
}

function counts({ from, to }: Move): boolean {
  return isCounted(from) || isCounted(to)
}
