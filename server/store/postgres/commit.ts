/** One commit: operations in their phases inside one transaction, tried again where the database asks for it. */
import type { Pool, PoolClient } from 'pg'
import type { Op, Outcome } from '../ops.ts'
import { type Commit, StoreBusy } from '../store.ts'
import type { Catalog } from './catalog.ts'
import type { StoreTimeSource } from './clock.ts'
import { dueTimes } from './due.ts'
import type { Elsewhere } from './elsewhere.ts'
import { Ledger } from './ledger.ts'
import { Operations } from './operations.ts'
import { asQueueError, diskFull, troubleOf } from './postgres-errors.ts'
import { readReady } from './readiness.ts'
import { Session } from './session.ts'

/** Two nodes in each other's way: one of them begins again. */
const TRIES = 5

export interface CommitParts {
  readonly pool: Pool
  readonly time: StoreTimeSource
  readonly catalog: Catalog
  readonly elsewhere: Elsewhere
}

export class Committer {
  private readonly parts: CommitParts
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
        await this.parts.catalog.refresh(session)
        return ask(session)
      }),
    )
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
    for (let tries = 1; ; tries++) {
      try {
        return await this.transaction((session) => this.run(session, ops))
      } catch (error) {
        const trouble = troubleOf(error)
        if (trouble === 'again' && tries < TRIES) continue
        if (trouble === 'again' || trouble === 'unreachable') {
          throw new StoreBusy('PostgreSQL cannot be reached, or is too busy.', { cause: error })
        }
        if (ops.length === 0) throw error
        if (ops.length === 1) return this.refused(ops, error)
        return this.oneByOne(ops)
      }
    }
  }

  private async run(session: Session, ops: readonly Op[]): Promise<Commit> {
    const { catalog } = this.parts
    catalog.begin()
    await catalog.refresh(session)
    const ledger = new Ledger()
    const outcomes = await new Operations(session, ledger, catalog).run(ops)
    await ledger.flush(session)
    const ready = await readReady(session, catalog, catalog.haveRulesChanged() ? null : ledger.types())
    const due = await dueTimes(session.client)
    const elsewhere = await this.parts.elsewhere.endOfCommit(session.client)
    return { now: session.now, outcomes, changes: ledger.changes(), ready, due, elsewhere }
  }

  /** Something broke in the middle: all was undone, and the one to blame is found by itself. */
  private async oneByOne(ops: readonly Op[]): Promise<Commit> {
    const commits: Commit[] = []
    for (const op of ops) commits.push(await this.tryCommit([op]))
    const last = commits.at(-1)
    return {
      now: last?.now ?? 0,
      outcomes: commits.flatMap(({ outcomes }) => outcomes),
      changes: commits.flatMap(({ changes }) => changes),
      ready: new Map(commits.flatMap(({ ready }) => [...ready])),
      due: last?.due ?? { promoteAt: null, leaseAt: null },
      elsewhere: true,
    }
  }

  private async refused([op]: readonly Op[], error: unknown): Promise<Commit> {
    const full = troubleOf(error) === 'full' && op?.kind === 'enqueue'
    const outcome: Outcome = { ok: false, error: full ? diskFull() : asQueueError(error) }
    const nothing = await this.tryCommit([])
    return { ...nothing, outcomes: [outcome] }
  }

  private async transaction<Answer>(run: (session: Session) => Promise<Answer>): Promise<Answer> {
    const { pool, time, catalog } = this.parts
    const client = await pool.connect()
    try {
      await client.query('BEGIN')
      const answer = await run(new Session(client, await time.now(client)))
      await client.query('COMMIT')
      client.release()
      return answer
    } catch (error) {
      catalog.forget()
      await rollback(client)
      throw error
    }
  }
}

async function rollback(client: PoolClient): Promise<void> {
  try {
    await client.query('ROLLBACK')
    client.release()
  } catch {
    // The connection is gone, and its transaction with it.
    client.release(true)
  }
}
