/** Stores jobs inside a transaction of the caller's, which stays usable whenever this refuses. */
import { randomUUID } from 'node:crypto'
import { QueueError } from '../../../../shared/errors.ts'
import { DEFAULTS } from '../../../../shared/settings.ts'
import type { Kind } from '../../../../shared/status.ts'
import type { NewJob } from '../../ops.ts'
import { Rules } from '../../rules.ts'
import type { Enqueued } from '../../store.ts'
import { addTypes, type NewType } from '../claims/catalog.ts'
import { Insert } from '../commit/insert.ts'
import { Ledger } from '../commit/ledger.ts'
import type { StoreTimeSource } from '../connection/clock.ts'
import type { Connection } from '../connection/open.ts'
import { asQueueError, diskFull, troubleOf } from '../connection/postgres-errors.ts'
import { HostCheck, type HostFacts } from './host-check.ts'
import { type Ask, askOf, HostSession } from './host-session.ts'

/** `mill` in ASCII: the class of the advisory locks that transactions hold until they end, one each. */
const LOCK = 0x6d696c6c
const SEATS = 64
/**
 * Counters that no other transaction adds to before this one has ended: whoever shared a row would wait for it. Seats are used
 * again, so that there are only as many rows as transactions at once.
 */
const SEAT = `(SELECT n::text FROM generate_series(1, ${SEATS}) AS n WHERE pg_try_advisory_xact_lock(${LOCK}, n) LIMIT 1)`

interface Begun {
  readonly session: HostSession
  readonly known: readonly NewType[]
  /** Whose rows of the counters are added to. */
  readonly node: string
}

export interface EnqueueTxOptions {
  readonly connection: Connection
  readonly time: StoreTimeSource
  readonly onWarning: (message: string) => void
}

export class EnqueueTx {
  private readonly time: StoreTimeSource
  private readonly check: HostCheck
  /** The last call on each transaction: savepoints of two that overlap would end each other. */
  private readonly last = new WeakMap<object, Promise<unknown>>()

  constructor({ connection, time, onWarning }: EnqueueTxOptions) {
    this.time = time
    this.check = new HostCheck(connection, onWarning)
  }

  async enqueue(tx: object, jobs: () => readonly NewJob[]): Promise<Enqueued> {
    const given = jobs()
    const ask = askOf(tx)
    const result = (this.last.get(tx) ?? Promise.resolve()).then(() => this.store(ask, given))
    this.last.set(
      tx,
      result.catch(() => {}),
    )
    return result
  }

  private async store(ask: Ask, jobs: readonly NewJob[]): Promise<Enqueued> {
    try {
      const facts = await this.check.facts(ask)
      const wanted = typesOf(jobs)
      const { session, known, node } = await this.begin(ask, facts, wanted)
      refuseOtherKinds([...known, ...wanted], jobs)
      const unknown = wanted.filter(({ name }) => !known.some((type) => type.name === name))
      const ledger = new Ledger(node)
      const insert = async () => {
        await this.addTypes(ask, facts, session, unknown, jobs)
        const [results] = await new Insert(session, ledger).enqueue([{ kind: 'enqueue', jobs }])
        ledger.flush(session)
        await session.answered()
        return results ?? []
      }
      const mayCollide = facts.seesOneMoment || unknown.length > 0 || jobs.some(({ dedupeKey }) => dedupeKey !== null)
      return mayCollide ? await inSavepoint(ask, insert) : await insert()
    } catch (error) {
      throw refusalOf(error)
    }
  }

  /** Whether a transaction has begun shows in a second statement, where the check's mark is still there. */
  private async begin(ask: Ask, facts: HostFacts, wanted: readonly NewType[]): Promise<Begun> {
    const { schema, mark, seesOneMoment } = facts
    // Where it may not see what the last one on a seat has added, it has rows that nobody ever used.
    const seat = seesOneMoment ? 'NULL' : SEAT
    const { rows } = await ask<{ mark: string; now: string; seat: string | null; name: string | null; kind: Kind }>(
      `SELECT s.mark, s.now, s.seat, t.name, t.kind
       FROM (SELECT current_setting('millrace.mark', true) AS mark, (${this.time.sql()})::text AS now, ${seat} AS seat) AS s
       LEFT JOIN ${schema}millrace_job_types AS t ON t.name = ANY($1::text[])`,
      [wanted.map(({ name }) => name)],
    )
    const [first] = rows
    if (first?.mark !== mark) {
      throw new QueueError(
        'WRONG_STATE',
        'No transaction has begun on this connection; begin one, or use enqueue, which has its own.',
      )
    }
    const known = rows.flatMap(({ name, kind }) => (name === null ? [] : [{ name, kind }]))
    const node = `tx ${first.seat ?? randomUUID()}`
    return { session: new HostSession(ask, schema, Number(first.now)), known, node }
  }

  /** Looks again where another transaction was faster: what it added may be of another kind. */
  private async addTypes(
    ask: Ask,
    facts: HostFacts,
    session: HostSession,
    unknown: readonly NewType[],
    jobs: readonly NewJob[],
  ): Promise<void> {
    if (unknown.length === 0 || (await addTypes(session, unknown)) === unknown.length) return
    refuseOtherKinds((await this.begin(ask, facts, unknown)).known, jobs)
  }
}

/** The first of each name says its kind. */
function typesOf(jobs: readonly NewJob[]): readonly NewType[] {
  const kinds = new Map<string, Kind>()
  for (const { type, kind } of jobs) if (!kinds.has(type)) kinds.set(type, kind)
  return [...kinds].map(([name, kind]) => ({ name, kind }))
}

/** Of two types with one name the first counts. */
function refuseOtherKinds(types: readonly NewType[], jobs: readonly NewJob[]): void {
  const rules = new Rules(DEFAULTS)
  const rows = types.map((type) => ({ ...type, declared: '{}', override: '{}' }))
  rules.load({ types: rows.reverse(), settings: [], draining: [] })
  for (const { type, kind } of jobs) rules.refuseOtherKind(type, kind)
}

/** An error would end the caller's transaction; this takes back what was begun, and leaves the rest as it was. */
async function inSavepoint<Result>(ask: Ask, run: () => Promise<Result>): Promise<Result> {
  await ask('SAVEPOINT millrace_enqueue')
  try {
    const result = await run()
    await ask('RELEASE SAVEPOINT millrace_enqueue')
    return result
  } catch (error) {
    await ask('ROLLBACK TO SAVEPOINT millrace_enqueue')
    await ask('RELEASE SAVEPOINT millrace_enqueue')
    throw error
  }
}

function refusalOf(wrapped: unknown): QueueError {
  // Drizzle wraps what the driver said.
  const error = wrapped instanceof Error && wrapped.cause instanceof Error ? wrapped.cause : wrapped
  const code = error instanceof Error && 'code' in error ? error.code : null
  if (code === '25P02') {
    return new QueueError(
      'WRONG_STATE',
      'An earlier statement has failed this transaction; roll it back and begin again.',
    )
  }
  if (code === '40001') {
    return new QueueError(
      'BUSY',
      'Since this transaction took its snapshot somebody else has stored this key, or the first job of this type; ' +
        'nothing was stored. Roll back and begin again.',
      { sqlState: code },
    )
  }
  const trouble = troubleOf(error)
  if (trouble === 'full') return diskFull()
  if (trouble === 'refused') return asQueueError(error)
  const reason = error instanceof Error ? error.message : String(error)
  return new QueueError('BUSY', `PostgreSQL gave up (${reason}); roll back and begin again.`, { sqlState: code })
}
