/**
 * One commit: all operations, in phases, in one transaction; retried on deadlocks and serialization failures.
 * If an operation fails after a write, each operation gets its own transaction.
 */
import type { Pool } from 'pg'
import { QueueError } from '../../../../shared/errors.ts'
import type { ClockTrust } from '../../clock-trust.ts'
import { Reservations } from '../../decisions/reservations.ts'
import type { Op, OpKind, Outcome } from '../../ops.ts'
import { inPhases } from '../../phases.ts'
import { type Commit, CommitOutcomeUnknown, type DueTimes, StoreBusy } from '../../store.ts'
import type { Catalog } from '../claims/catalog.ts'
import { readReady, readyOf } from '../claims/readiness.ts'
import type { StoreTimeSource } from '../connection/clock.ts'
import { asQueueError, classifyError, diskFull } from '../connection/postgres-errors.ts'
import { type CommitMode, Session } from '../connection/session.ts'
import type { OtherCommits } from '../nodes/other-commits.ts'
import { commitOutcomeOf, type Mark, readMark } from './commit-outcome.ts'
import { dueTimes, promoteAtOf } from './due-times.ts'
import { AdmissionPass } from './groups/admit-blocked.ts'
import { Ledger } from './ledger.ts'
import { Operations } from './operations.ts'
import { HasGroups, HasSchedules, NotPlain } from './plain/not-plain.ts'
import { type PlainPlan, planPlain, runPlain } from './plain/plain-commit.ts'
import { isClaim, isSettle, PlainOutlook } from './plain/plain-outlook.ts'

/** Tries of a commit that another node's transaction aborted. */
const MAX_TRIES = 5
/** Of workers. Commits with others are rare, and their statements are planned with their values. */
const IS_FREQUENT: ReadonlySet<OpKind> = new Set<OpKind>(['complete', 'fail', 'release', 'enqueue', 'claim'])
/** Time for which the disk is treated as full after a failure. */
const FULL_FOR_MS = 10_000

export interface CommitParts {
  readonly pool: Pool
  readonly time: StoreTimeSource
  readonly catalog: Catalog
  readonly trust: ClockTrust
  readonly otherCommits: OtherCommits
  /** The node whose counters are updated. */
  readonly node: string
}

/** A commit that got no response, with the response that it would have had. */
interface UnconfirmedCommit {
  readonly ops: readonly Op[]
  readonly mark: Mark
  readonly result: Omit<Commit, 'ready' | 'due'> & Pick<DueTimes, 'leaseAt'>
}

export class Committer {
  private readonly parts: CommitParts
  private readonly reservations = new Reservations()
  private readonly pass = new AdmissionPass()
  private readonly outlook: PlainOutlook
  private unconfirmed: UnconfirmedCommit | null = null
  /** The transaction under way, once only its COMMIT is left. null: it wrote nothing, or has not reached COMMIT. */
  private committing: UnconfirmedCommit | null = null
  /** When the database last refused a write for lack of space, by its clock. null after new jobs were stored again. */
  private fullAt: number | null = null
  private last: Promise<unknown> = Promise.resolve()

  constructor(parts: CommitParts) {
    this.parts = parts
    this.outlook = new PlainOutlook(parts.time)
  }

  /** One at a time: the state in memory belongs to the transaction under way. */
  commit(ops: readonly Op[]): Promise<Commit> {
    return this.alone(() => this.tryCommit(ops))
  }

  /** A separate transaction, for calls that need the catalog and write no jobs. */
  withSession<Result>(run: (session: Session) => Promise<Result>): Promise<Result> {
    return this.alone(() => this.inSession(run))
  }

  /** Whether the disk was full a moment ago. Only a write can find out, so the state ends after a while. */
  isFull(now: number): boolean {
    return this.fullAt !== null && Math.abs(now - this.fullAt) < FULL_FOR_MS
  }

  /** Resolves when the commit under way has ended. */
  async idle(): Promise<void> {
    await this.last
  }

  private alone<Result>(run: () => Promise<Result>): Promise<Result> {
    const result = this.last.then(run)
    this.last = result.catch(() => {})
    return result
  }

  private async tryCommit(ops: readonly Op[]): Promise<Commit> {
    const confirmed = await this.confirm(ops)
    if (confirmed) return confirmed
    let plan = this.outlook.isPlain(ops) ? planPlain(ops, this.parts.catalog, this.outlook.withKeys(ops)) : null
    for (let tries = 1; ; tries++) {
      this.committing = null
      try {
        const result = plan ? await this.commitPlain(plan) : await this.commitAny(ops)
        const { outcomes } = result
        this.outlook.committed(result)
        if (ops.some(({ kind }, index) => kind === 'enqueue' && outcomes[index]?.ok)) this.fullAt = null
        return result
      } catch (error) {
        if (ops.some(({ kind }) => kind === 'admitBlocked')) this.pass.restart()
        const trouble = classifyError(error)
        if (this.committing && trouble === 'unreachable') {
          this.unconfirmed = this.committing
          throw unsure(error)
        }
        if (trouble === 'unreachable') this.parts.otherCommits.forget()
        if (trouble === 'again' && tries < MAX_TRIES) continue
        if (trouble === 'again' || trouble === 'unreachable') {
          throw new StoreBusy('PostgreSQL cannot be reached, or is too busy.', { cause: error })
        }
        if (error instanceof HasGroups) this.outlook.hasGroups(error.type)
        if (error instanceof HasSchedules) this.outlook.hasSchedules(error.type)
        if (plan) {
          plan = error instanceof HasGroups ? planPlain(ops, this.parts.catalog, true) : null
          continue
        }
        if (ops.length === 0) throw error
        if (ops.length === 1) return this.refused(error)
        return this.oneByOne(ops)
      }
    }
  }

  private async commitPlain(plan: PlainPlan): Promise<Commit> {
    const { catalog, time, trust, otherCommits, node } = this.parts
    const run = async (session: Session) => {
      const instant = time.fixed()
      if (instant !== null) session.beginAt(instant)
      catalog.begin()
      const { reservations } = this
      const result = await runPlain({ session, ledger: new Ledger(node), catalog, trust, time, reservations }, plan)
      const { mark, commit } = result
      if (mark) {
        otherCommits.remember(mark.id)
        this.committing = { ops: plan.ops, mark, result: { ...commit, leaseAt: commit.due.leaseAt } }
      }
      return result
    }
    const { commit, counts, groupedTypes } = await this.transaction(run, 'pipelined')
    for (const type of groupedTypes) this.outlook.hasGroups(type)
    return { ...commit, ready: readyOf(commit.now, catalog, await counts) }
  }

  private async commitAny(ops: readonly Op[]): Promise<Commit> {
    const mode = ops.length > 0 && ops.every(({ kind }) => IS_FREQUENT.has(kind)) ? 'pipelined' : 'awaited'
    const { commit, late } = await this.transaction((session) => this.run(session, ops, mode), mode)
    const [ready, due] = await late
    return { ...commit, ready, due }
  }

  private async run(session: Session, ops: readonly Op[], mode: CommitMode) {
    const { catalog, time, trust, otherCommits, node } = this.parts
    const ledger = new Ledger(node)
    const operations = new Operations({
      session,
      ledger,
      catalog,
      reservations: this.reservations,
      trust,
      pass: this.pass,
    })
    catalog.begin()
    const begun = Promise.all([session.begin(time), catalog.refresh(session), operations.lock(ops)])
    // Read with the first locks, because COMMIT is sent behind the last statements.
    const needsMark = mode === 'pipelined' && !ops.some(isClaim)
    let marked = needsMark && ops.some(isSettle) ? session.later(readMark(session.queryable)) : null
    await begun
    trust.observe(session.now)
    await operations.lockGroups(ops)
    if (needsMark) marked ??= session.later(readMark(session.queryable))
    const outcomes = await operations.run(ops)
    ledger.rulesChanged(catalog.writtenRules)
    ledger.flush(session)
    const late = Promise.all([
      readReady(session, catalog, catalog.haveRulesChanged() ? null : ledger.types()),
      dueAfter(session, ops, ledger, trust),
    ])
    session.later(late)
    const early = (await marked) ?? operations.mark
    if (early) otherCommits.remember(early.id)
    const mark = early ?? (await otherCommits.rememberOwn(session.queryable))
    const commit = { now: session.now, outcomes, changes: ledger.changes(), measures: ledger.allMeasures() }
    if (mode === 'awaited') await session.written()
    if (mark) this.committing = { ops, mark, result: { ...commit, leaseAt: ledger.firstLeaseAt } }
    for (const type of operations.groupedTypes) this.outlook.hasGroups(type)
    if (ops.some(isClaim)) this.outlook.isIsolating = operations.isIsolating
    return { commit, late }
  }

  private inSession<Result>(run: (session: Session) => Promise<Result>): Promise<Result> {
    return this.transaction(async (session) => {
      const { catalog, time } = this.parts
      await Promise.all([session.begin(time), catalog.refresh(session)])
      return run(session)
    })
  }

  /** The result of an unconfirmed commit, if it is repeated with the same array. Any other commit drops it. */
  private async confirm(ops: readonly Op[]): Promise<Commit | null> {
    const { unconfirmed } = this
    this.unconfirmed = null
    if (unconfirmed?.ops !== ops) return null
    const outcome = await commitOutcomeOf(this.parts.pool, unconfirmed.mark)
    if (outcome === 'lost') return null
    try {
      if (outcome === 'running') throw new Error('The transaction is still running.')
      const { catalog, trust } = this.parts
      const { leaseAt, ...result } = unconfirmed.result
      return await this.inSession(async (session) => {
        const ready = await readReady(session, catalog, null)
        return { ...result, ready, due: { promoteAt: await promoteAtOf(session.queryable, trust), leaseAt } }
      })
    } catch (error) {
      this.unconfirmed = unconfirmed
      throw unsure(error)
    }
  }

  /** An operation failed after its first write, and all were rolled back: each gets a transaction. */
  private async oneByOne(ops: readonly Op[]): Promise<Commit> {
    const outcomes = new Array<Outcome>(ops.length)
    const commits: Commit[] = []
    for (const index of inPhases(ops)) {
      try {
        const commit = await this.tryCommit(ops.slice(index, index + 1))
        commits.push(commit)
        const [outcome] = commit.outcomes
        if (outcome) outcomes[index] = outcome
      } catch (error) {
        // The operations before it are stored and must not be repeated.
        if (!(error instanceof StoreBusy) || (commits.length === 0 && !(error instanceof CommitOutcomeUnknown)))
          throw error
        outcomes[index] = { ok: false, error: busy(error) }
      }
    }
    const leases = commits.flatMap(({ due }) => due.leaseAt ?? [])
    const last = commits.at(-1)
    return {
      now: last?.now ?? 0,
      outcomes,
      changes: commits.flatMap(({ changes }) => changes),
      measures: commits.flatMap(({ measures }) => measures),
      ready: new Map(commits.flatMap(({ ready }) => [...ready])),
      due: {
        promoteAt: last?.due.promoteAt ?? null,
        leaseAt: leases.length > 0 ? Math.min(...leases) : null,
      },
    }
  }

  private async refused(error: unknown): Promise<Commit> {
    const full = classifyError(error) === 'full'
    const outcome: Outcome = { ok: false, error: full ? diskFull() : asQueueError(error) }
    const empty = await this.tryCommit([])
    if (full) this.fullAt = empty.now
    return { ...empty, outcomes: [outcome] }
  }

  private async transaction<Result>(run: (session: Session) => Promise<Result>, mode?: CommitMode): Promise<Result> {
    const { pool, catalog } = this.parts
    const client = await pool.connect()
    const session = new Session(client)
    try {
      const result = await session.transaction(() => run(session), mode)
      client.release()
      return result
    } catch (error) {
      if (!(error instanceof NotPlain)) catalog.forget()
      client.release(session.isBroken)
      throw session.cause(error)
    }
  }
}

function unsure(cause?: unknown): CommitOutcomeUnknown {
  return new CommitOutcomeUnknown('The connection to PostgreSQL is lost.', { cause })
}

function busy(error: StoreBusy): QueueError {
  const outcome =
    error instanceof CommitOutcomeUnknown ? 'The operation may or may not be stored' : 'The operation was not stored'
  return new QueueError('BUSY', `${error.message} ${outcome}; try again in a moment.`)
}

/** The end of the first lease takes a scan of all running jobs: only for the leader, every few seconds. */
async function dueAfter(session: Session, ops: readonly Op[], ledger: Ledger, trust: ClockTrust): Promise<DueTimes> {
  if (ops.some(({ kind }) => kind === 'lead')) return dueTimes(session.queryable, trust)
  return { promoteAt: await promoteAtOf(session.queryable, trust), leaseAt: ledger.firstLeaseAt }
}
