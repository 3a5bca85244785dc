/** One commit: all operations, in phases, in one immediate transaction; each fails alone. */
import { QueueError } from '../../../../shared/errors.ts'
import type { Op, OpKind, Outcome } from '../../ops.ts'
import { inPhases } from '../../phases.ts'
import { type Change, type Commit, type Measure, type Ready, StoreBusy } from '../../store.ts'
import type { Connection } from '../connection/open.ts'
import { asQueueError, classifyError, diskFull, storeFailed } from '../connection/sqlite-errors.ts'
import type { DiskReserve } from '../files/disk-reserve.ts'
import type { Wal } from '../files/wal.ts'
import type { Operations } from './operations.ts'

/**
 * Operations that throw a refusal only before their first write and therefore need no savepoint. A savepoint copies every page that
 * an operation touches, which made a job from enqueue to complete 30 % slower.
 */
const REFUSES_FIRST: ReadonlySet<OpKind> = new Set<OpKind>([
  'complete',
  'fail',
  'release',
  'heartbeat',
  'progress',
  'seeWorker',
  'schedule',
  'claim',
])

/** Retries of a commit on a full disk. Each releases half of what is left of the disk reserve. */
const MAX_SPACE_RETRIES = 8

export class Committer {
  private readonly connection: Connection
  private readonly operations: Operations
  private readonly reserve: DiskReserve
  /** null for a database in memory. */
  private readonly wal: Wal | null
  private readonly now: () => number
  private readonly savepoint
  private readonly release
  private readonly rollbackTo

  constructor(
    connection: Connection,
    operations: Operations,
    space: { readonly reserve: DiskReserve; readonly wal: Wal | null },
    now: () => number,
  ) {
    this.connection = connection
    this.operations = operations
    this.reserve = space.reserve
    this.wal = space.wal
    this.now = now
    this.savepoint = connection.client.prepare('SAVEPOINT operation')
    this.release = connection.client.prepare('RELEASE operation')
    this.rollbackTo = connection.client.prepare('ROLLBACK TO operation')
  }

  commit(ops: readonly Op[]): Commit {
    this.wal?.assertSound()
    this.reserve.reclaimSpace()
    const done = this.tryCommit(ops, false)
    this.wal?.committed(ops)
    return done
  }

  private tryCommit(ops: readonly Op[], careful: boolean, tries = 0): Commit {
    try {
      return this.transaction(ops, careful)
    } catch (error) {
      const trouble = this.rolledBack(error)
      if (trouble === 'full') {
        // From now on new jobs are refused, so that the released space goes to the other operations of this commit.
        const gained = tries < MAX_SPACE_RETRIES && this.reserve.freeSpace()
        return gained ? this.tryCommit(ops, careful, tries + 1) : this.oneByOne(ops)
      }
      if (trouble === 'busy') throw new StoreBusy('Another process is writing to the database.', { cause: error })
      if (careful) throw error
      // An operation failed after its first write, and all were rolled back. The second run isolates it with savepoints.
      return this.tryCommit(ops, true, tries)
    }
  }

  private transaction(ops: readonly Op[], careful: boolean): Commit {
    return this.connection.db.transaction(() => this.runAll(ops, careful), { behavior: 'immediate' })
  }

  private runAll(ops: readonly Op[], careful: boolean): Commit {
    const { operations } = this
    const now = this.now()
    operations.begin(ops, now)
    const outcomes = new Array<Outcome>(ops.length)
    for (const index of inPhases(ops)) {
      const op = ops[index]
      if (!op) continue
      operations.enter(op, now)
      outcomes[index] = careful || !refusesFirst(op) ? this.runGuarded(op, now) : this.run(op, now)
    }
    const { changes, measures, ready, due } = operations.end(now)
    return { now, outcomes, changes, measures, ready, due }
  }

  private run(op: Op, now: number): Outcome {
    if (!this.hasSpaceFor(op)) return { ok: false, error: diskFull() }
    try {
      return { ok: true, value: this.operations.run(op, now) }
    } catch (error) {
      if (error instanceof QueueError) return { ok: false, error }
      throw error
    }
  }

  /** New jobs are refused first, so that the last space is left for the others. */
  private hasSpaceFor(op: Op): boolean {
    if (op.kind === 'enqueue') return this.reserve.hasSpaceFor(op.jobs)
    if (op.kind !== 'schedule' && op.kind !== 'backfillApply') return true
    const jobs = op.ticks.flatMap(({ job }) => job ?? [])
    return jobs.length === 0 || this.reserve.hasSpaceFor(jobs)
  }

  private runGuarded(op: Op, now: number): Outcome {
    if (!this.hasSpaceFor(op)) return { ok: false, error: diskFull() }
    const mark = this.operations.mark(now)
    this.savepoint.run()
    try {
      const value = this.operations.runCompletely(op, now)
      this.release.run()
      return { ok: true, value }
    } catch (error) {
      // SQLITE_FULL may have rolled back the whole transaction despite the savepoint, earlier operations included.
      if (!this.connection.client.inTransaction || classifyError(error) !== 'refused') throw error
      this.rollbackTo.run()
      this.release.run()
      this.operations.rollback(mark)
      return { ok: false, error: asQueueError(error) }
    }
  }

  /** The disk is full: each operation gets a transaction, settles first. Those that do not fit are refused. */
  private oneByOne(ops: readonly Op[]): Commit {
    const outcomes = new Array<Outcome>(ops.length)
    let last: Commit | undefined
    const changes: Change[] = []
    const measures: (Measure | undefined)[] = []
    const ready = new Map<string, Ready>()
    for (const index of inPhases(ops)) {
      const op = ops[index]
      if (!op) continue
      try {
        last = this.transaction([op], true)
        outcomes[index] = last.outcomes[0] ?? { ok: false, error: diskFull() }
        changes.push(...last.changes)
        measures.push(...last.measures)
        for (const [type, claimable] of last.ready) ready.set(type, claimable)
      } catch (error) {
        // Busy or full: the operation was not done, and the caller may retry.
        const refused = this.rolledBack(error) === 'refused'
        outcomes[index] = { ok: false, error: refused ? asQueueError(error) : diskFull() }
      }
    }
    const due = last?.due ?? { promoteAt: null, leaseAt: null }
    return { now: this.now(), outcomes, changes, measures, ready, due }
  }

  /** After a rollback: discards the state in memory. */
  private rolledBack(error: unknown): 'busy' | 'full' | 'refused' {
    this.operations.forget()
    const trouble = this.reserve.classifyError(error)
    if (trouble === 'fatal') throw storeFailed(error)
    return trouble
  }
}

function refusesFirst(op: Op): boolean {
  return REFUSES_FIRST.has(op.kind) || (op.kind === 'enqueue' && op.jobs.length === 1)
}
