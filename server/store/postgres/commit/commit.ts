/** One commit: operations in their phases inside one transaction, tried again where the database asks for it. */
import type { Pool } from 'pg'
import { QueueError } from '../../../../shared/errors.ts'
import type { ClockTrust } from '../../clock-trust.ts'
import { inPhases, type Op, type Outcome } from '../../ops.ts'
import { Reservations } from '../../reservations.ts'
import { type Commit, type DueTimes, StoreBusy, StoreUnsure } from '../../store.ts'
import type { Catalog } from '../claims/catalog.ts'
import { readReady } from '../claims/readiness.ts'
import type { StoreTimeSource } from '../connection/clock.ts'
import { asQueueError, diskFull, troubleOf } from '../connection/postgres-errors.ts'
import { Session } from '../connection/session.ts'
import type { Elsewhere } from '../nodes/other-commits.ts'
import { fateOf, type Mark } from './commit-outcome.ts'
import { dueTimes, promoteAtOf } from './due.ts'
import { Ledger } from './ledger.ts'
import { Operations } from './operations.ts'

/** Two nodes in each other's way: one of them begins again. */
const TRIES = 5
const FULL_FOR_MS = 10_000

export interface CommitParts {
  readonly pool: Pool
  readonly time: StoreTimeSource
  readonly catalog: Catalog
  readonly trust: ClockTrust
  readonly elsewhere: Elsewhere
  /** Whose counters this one's commits add to. */
  readonly node: string
}

/** A commit whose answer never came, and what it would have been. */
interface Lost {
  readonly ops: readonly Op[]
  readonly mark: Mark
  readonly answer: Commit
}

export class Committer {
  private readonly parts: CommitParts
  private readonly reservations = new Reservations()
  private lost: Lost | null = null
  /** The transaction under way, once nothing but its COMMIT is left; null: it changed nothing, or is not so far. */
  private committing: Lost | null = null
  /** When the database last refused for lack of space, in its own time; null after new jobs were stored again. */
  private fullAt: number | null = null
  private last: Promise<unknown> = Promise.resolve()

  constructor(parts: CommitParts) {
    this.parts = parts
  }

  /** One at a time: the memory they share is that of the transaction under way. */
  commit(ops: readonly Op[]): Promise<Commit> {
    return this.alone(() => this.tryCommit(ops))
  }

  /** A transaction of its own, for whoever needs the catalog and does not write jobs. */
  withSession<Answer>(ask: (session: Session) => Promise<Answer>): Promise<Answer> {
    return this.alone(() =>
      this.transaction(async (session) => {
        const { catalog, time } = this.parts
        await Promise.all([session.begin(time), catalog.refresh(session)])
        return ask(session)
      }),
    )
  }

  /** Whether the disk was full a moment ago. Only a write can tell, so that after a while the next one has to try. */
  isFull(now: number): boolean {
    return this.fullAt !== null && Math.abs(now - this.fullAt) < FULL_FOR_MS
  }

  /** When the commit under way is over. */
  async idle(): Promise<void> {
    await this.last
  }

  private alone<Answer>(run: () => Promise<Answer>): Promise<Answer> {
    const result = this.last.then(run)
    this.last = result.catch(() => {})
    return result
  }

  private async tryCommit(ops: readonly Op[]): Promise<Commit> {
    const found = await this.find(ops)
    if (found) return found
    for (let tries = 1; ; tries++) {
      this.committing = null
      try {
        const answer = await this.transaction((session) => this.run(session, ops))
        const { outcomes } = answer
        if (ops.some(({ kind }, index) => kind === 'enqueue' && outcomes[index]?.ok)) this.fullAt = null
        return answer
      } catch (error) {
        const trouble = troubleOf(error)
        if (this.committing && trouble === 'unreachable') {
          this.lost = this.committing
          throw unsure(error)
        }
        if (trouble === 'unreachable') this.parts.elsewhere.forget()
        if (trouble === 'again' && tries < TRIES) continue
        if (trouble === 'again' || trouble === 'unreachable') {
          throw new StoreBusy('PostgreSQL cannot be reached, or is too busy.', { cause: error })
        }
        if (ops.length === 0) throw error
        if (ops.length === 1) return this.refused(error)
        return this.oneByOne(ops)
      }
    }
  }

  private async run(session: Session, ops: readonly Op[]): Promise<Commit> {
    const { catalog, time, trust, elsewhere, node } = this.parts
    const ledger = new Ledger(node)
    const operations = new Operations(session, ledger, catalog, this.reservations, trust)
    catalog.begin()
    await Promise.all([session.begin(time), catalog.refresh(session), operations.lock(ops)])
    trust.observe(session.now)
    const outcomes = await operations.run(ops)
    ledger.flush(session)
    const [ready, due, mark] = await Promise.all([
      readReady(session, catalog, catalog.haveRulesChanged() ? null : ledger.types()),
      dueAfter(session, ops, ledger, trust),
      elsewhere.rememberOwn(session.client),
    ])
    const [changes, measures] = [ledger.changes(), ledger.allMeasures()]
    const answer: Commit = { now: session.now, outcomes, changes, measures, ready, due }
    await session.written()
    if (mark) this.committing = { ops, mark, answer }
    return answer
  }

  /** The same operations again, after their answer was lost. Others go first at their own risk: nobody asked for these. */
  private async find(ops: readonly Op[]): Promise<Commit | null> {
    const { lost } = this
    this.lost = null
    if (lost?.ops !== ops) return null
    const fate = await fateOf(this.parts.pool, lost.mark)
    if (fate === 'stored') return lost.answer
    if (fate === 'lost') return null
    this.lost = lost
    throw unsure()
  }

  /** Something broke in the middle: all was undone, and the one to blame is found by itself. */
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
        // Those before it are stored and must not be done again.
        if (!(error instanceof StoreBusy) || (commits.length === 0 && !(error instanceof StoreUnsure))) throw error
        outcomes[index] = { ok: false, error: notReached(error) }
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
    const full = troubleOf(error) === 'full'
    const outcome: Outcome = { ok: false, error: full ? diskFull() : asQueueError(error) }
    const nothing = await this.tryCommit([])
    if (full) this.fullAt = nothing.now
    return { ...nothing, outcomes: [outcome] }
  }

  private async transaction<Answer>(run: (session: Session) => Promise<Answer>): Promise<Answer> {
    const { pool, catalog } = this.parts
    const client = await pool.connect()
    const session = new Session(client)
    try {
      const answer = await session.transaction(() => run(session))
      client.release()
      return answer
    } catch (error) {
      catalog.forget()
      client.release(session.isBroken)
      throw session.cause(error)
    }
  }
}

function unsure(cause?: unknown): StoreUnsure {
  return new StoreUnsure('The connection to PostgreSQL is lost.', { cause })
}

function notReached(error: StoreBusy): QueueError {
  const fate = error instanceof StoreUnsure ? 'it may be stored or not' : 'it was not stored'
  return new QueueError('BUSY', `${error.message} So ${fate}; try again in a moment.`)
}

/** To find the first lease of all is to look at every running job: only for the leader, who asks every few seconds. */
async function dueAfter({ client }: Session, ops: readonly Op[], ledger: Ledger, trust: ClockTrust): Promise<DueTimes> {
  if (ops.some(({ kind }) => kind === 'lead')) return dueTimes(client, trust)
  return { promoteAt: await promoteAtOf(client, trust), leaseAt: ledger.firstLeaseAt }
}
