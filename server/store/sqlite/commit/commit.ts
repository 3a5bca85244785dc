/** One commit: operations in their phases inside one immediate transaction, each failing alone. */
import { QueueError } from '../../../../shared/errors.ts'
import type { Op, OpKind, Outcome } from '../../ops.ts'
import { inPhases } from '../../ops.ts'
import { type Change, type Commit, type Measure, type Ready, StoreBusy } from '../../store.ts'
import type { Connection } from '../connection/open.ts'
import { asQueueError, diskFull, storeFailed, troubleOf } from '../connection/sqlite-errors.ts'
import type { DiskReserve } from '../files/disk-reserve.ts'
import type { Wal } from '../files/wal.ts'
import type { Operations } from './operations.ts'

/**
 * These refuse, if at all, before their first write, so that a refusal needs no savepoint: a savepoint copies every page
 * that an operation touches, which made a job's whole life 30 % dearer.
 */
const REFUSES_FIRST: ReadonlySet<OpKind> = new Set<OpKind>([
  'complete',
  'fail',
  'release',
  'heartbeat',
  'progress',
  'seeWorker',
  'claim',
])

/** How often a commit that finds no space is tried again; each try gives back half of what is left of the reserve. */
const TRIES_FOR_SPACE = 8

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
    this.reserve.tend()
    const done = this.tryCommit(ops, false)
    this.wal?.committed(ops)
    return done
  }

  private tryCommit(ops: readonly Op[], careful: boolean, tries = 0): Commit {
    try {
      return this.transaction(ops, careful)
    } catch (error) {
      const trouble = this.giveUp(error)
      if (trouble === 'full') {
        // From here on new jobs are refused, so that what is gained goes to the other operations of this batch.
        const gained = tries < TRIES_FOR_SPACE && this.reserve.makeRoom()
        return gained ? this.tryCommit(ops, careful, tries + 1) : this.oneByOne(ops)
      }
      if (trouble === 'busy') throw new StoreBusy('Another process is writing to the database.', { cause: error })
      if (careful) throw error
      // An operation broke after it had written: all of it was undone, and a second run finds the one to blame.
      return this.tryCommit(ops, true, tries)
    }
  }

  private transaction(ops: readonly Op[], careful: boolean): Commit {
    const { operations } = this
    return this.connection.db.transaction(
      () => {
        const now = this.now()
        operations.begin(ops, now)
        const outcomes = new Array<Outcome>(ops.length)
        for (const index of inPhases(ops)) {
          const op = ops[index]
          if (!op) continue
          if (op.kind !== 'complete') operations.writeCompletes(now)
          outcomes[index] = careful || !refusesFirst(op) ? this.runGuarded(op, now) : this.run(op, now)
        }
        return { now, outcomes, ...operations.end(now) }
      },
      { behavior: 'immediate' },
    )
  }

  private run(op: Op, now: number): Outcome {
    if (op.kind === 'enqueue' && !this.reserve.hasRoomFor(op.jobs)) return { ok: false, error: diskFull() }
    try {
      return { ok: true, value: this.operations.run(op, now) }
    } catch (error) {
      if (error instanceof QueueError) return { ok: false, error }
      throw error
    }
  }

  private runGuarded(op: Op, now: number): Outcome {
    if (op.kind === 'enqueue' && !this.reserve.hasRoomFor(op.jobs)) return { ok: false, error: diskFull() }
    const mark = this.operations.mark()
    this.savepoint.run()
    try {
      const value = this.operations.runWhole(op, now)
      this.release.run()
      return { ok: true, value }
    } catch (error) {
      // SQLITE_FULL may have ended the whole transaction, savepoint or not: then nothing before this stands either.
      if (!this.connection.client.inTransaction || troubleOf(error) !== 'refused') throw error
      this.rollbackTo.run()
      this.release.run()
      this.operations.rollback(mark)
      return { ok: false, error: asQueueError(error) }
    }
  }

  /** The disk is full: what fits is done, settles first, each on its own; what does not fit is refused. */
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
        // Busy or full: either way this operation did not happen, and the caller may try again.
        const refused = this.giveUp(error) === 'refused'
        outcomes[index] = { ok: false, error: refused ? asQueueError(error) : diskFull() }
      }
    }
    const due = last?.due ?? { promoteAt: null, leaseAt: null }
    return { now: this.now(), outcomes, changes, measures, ready, due }
  }

  /** The transaction is gone; what was remembered of it is forgotten. */
  private giveUp(error: unknown): 'busy' | 'full' | 'refused' {
    this.operations.forget()
    const trouble = this.reserve.troubleOf(error)
    if (trouble === 'fatal') throw storeFailed(error)
    return trouble
  }
}

function refusesFirst(op: Op): boolean {
  return REFUSES_FIRST.has(op.kind) || (op.kind === 'enqueue' && op.jobs.length === 1)
}
