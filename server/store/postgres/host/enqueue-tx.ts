/** Enqueues jobs in a transaction of the caller, which stays usable when the jobs are refused. */
import { randomUUID } from 'node:crypto'
import { QueueError } from '../../../../shared/errors.ts'
import { DEFAULTS } from '../../../../shared/settings/settings.ts'
import type { Kind } from '../../../../shared/status.ts'
import { groupOf } from '../../decisions/group-of-job.ts'
import { Rules } from '../../decisions/rules.ts'
import type { NewJob } from '../../ops.ts'
import type { STORED_TYPE } from '../../rows/rule-rows.ts'
import type { Row, RowOf } from '../../rows/tables.ts'
import type { Enqueued } from '../../store.ts'
import { addTypes, type NewType } from '../claims/catalog.ts'
import { Insert, type InsertBatch, type Placement, type Placing, UNGROUPED } from '../commit/insert.ts'
import { Ledger } from '../commit/ledger.ts'
import type { StoreTimeSource } from '../connection/clock.ts'
import type { Connection } from '../connection/open.ts'
import { asQueueError, classifyError, diskFull } from '../connection/postgres-errors.ts'
import { HostCheck, type HostFacts } from './host-check.ts'
import { HostSession, queryRunner, type RunQuery } from './host-session.ts'

/** `mill` in ASCII: class of the advisory locks. Each transaction holds one until it ends. */
const LOCK = 0x6d696c6c
const COUNTER_SLOTS = 64
/**
 * Counter rows that no other open transaction writes to: a shared row would make one wait for the other. Slots are reused, so that
 * there are only as many rows as concurrent transactions.
 */
const FREE_SLOT = `(SELECT n::text FROM generate_series(1, ${COUNTER_SLOTS}) AS n WHERE pg_try_advisory_xact_lock(${LOCK}, n) LIMIT 1)`

interface HostTransactionState {
  readonly session: HostSession
  readonly known: readonly StoredType[]
  /** Owner of the counter rows. */
  readonly node: string
}

type StoredType = RowOf<typeof STORED_TYPE>

/** `declared` and `override` null: without a group. */
interface HostRow extends Row<'jobTypes', 'kind'> {
  readonly mark: string
  readonly now: string
  readonly slot: string | null
  readonly name: string | null
  readonly declared: string | null
  readonly override: string | null
}

export interface EnqueueTxOptions {
  readonly connection: Connection
  readonly time: StoreTimeSource
  readonly onWarning: (message: string) => void
}

export class EnqueueTx {
  private readonly time: StoreTimeSource
  private readonly check: HostCheck
  /** The last call per transaction: calls run one after the other, because overlapping savepoints would end each other. */
  private readonly last = new WeakMap<object, Promise<unknown>>()

  constructor({ connection, time, onWarning }: EnqueueTxOptions) {
    this.time = time
    this.check = new HostCheck(connection, onWarning)
  }

  async enqueue(tx: object, jobs: () => readonly NewJob[]): Promise<Enqueued> {
    const given = jobs()
    const query = queryRunner(tx)
    const result = (this.last.get(tx) ?? Promise.resolve()).then(() => this.store(query, given))
    this.last.set(
      tx,
      result.catch(() => {}),
    )
    return result
  }

  private async store(query: RunQuery, jobs: readonly NewJob[]): Promise<Enqueued> {
    try {
      const facts = await this.check.facts(query)
      const wanted = typesOf(jobs)
      const { session, known, node } = await this.begin(query, facts, wanted)
      refuseOtherKinds([...known, ...wanted], jobs)
      const unknown = wanted.filter(({ name }) => !known.some((type) => type.name === name))
      const ledger = new Ledger(node)
      const placing = new DelayedPlacing(jobs, known)
      const insert = async () => {
        ledger.rulesChanged(await this.addTypes(query, facts, session, unknown, jobs))
        const [results] = await new Insert(session, ledger, placing).enqueue([{ kind: 'enqueue', jobs }])
        ledger.flush(session)
        await session.written()
        return results ?? []
      }
      const mayCollide = facts.seesOneMoment || unknown.length > 0 || jobs.some(({ dedupeKey }) => dedupeKey !== null)
      return mayCollide ? await inSavepoint(query, insert) : await insert()
    } catch (error) {
      throw refusalOf(error)
    }
  }

  /** A second statement shows whether a transaction has begun: only then the mark of the check is still set. */
  private async begin(query: RunQuery, facts: HostFacts, wanted: readonly NewType[]): Promise<HostTransactionState> {
    const { schema, mark, seesOneMoment } = facts
    // A snapshot may hide the last update of a slot's row, so such a transaction gets new rows.
    const slot = seesOneMoment ? 'NULL' : FREE_SLOT
    const { rows } = await query<HostRow>(
      // Of the settings an insert needs only the group, which most types do not have: parsing the others is not worth it.
      `SELECT s.mark, s.now, s.slot, t.name, t.kind, CASE WHEN strpos(t.declared, '"group"') > 0 THEN t.declared END AS declared,
         CASE WHEN strpos(t.override, '"group"') > 0 THEN t.override END AS override
       FROM (SELECT current_setting('millrace.mark', true) AS mark, (${this.time.sql()})::text AS now, ${slot} AS slot) AS s
       LEFT JOIN ${schema}millrace_job_types AS t ON t.name = ANY($1::text[])`,
      [wanted.map(({ name }) => name)],
    )
    const [first] = rows
    if (first?.mark !== mark) {
      throw new QueueError(
        'WRONG_STATE',
        'No transaction has begun on this connection; begin one, or use enqueue, which needs none.',
      )
    }
    const known = rows.flatMap(({ name, kind, declared, override }) => {
      return name === null ? [] : [{ name, kind, declared: declared ?? '{}', override: override ?? '{}' }]
    })
    const node = `tx ${first.slot ?? randomUUID()}`
    return { session: new HostSession(query, schema, Number(first.now)), known, node }
  }

  /** Returns how many it has added. Reads the types again when another transaction added one at the same time: it may be of another kind. */
  private async addTypes(
    query: RunQuery,
    facts: HostFacts,
    session: HostSession,
    unknown: readonly NewType[],
    jobs: readonly NewJob[],
  ): Promise<number> {
    if (unknown.length === 0) return 0
    const added = await addTypes(session, unknown)
    if (added < unknown.length) refuseOtherKinds((await this.begin(query, facts, unknown)).known, jobs)
    return added
  }
}

/**
 * Jobs with keys wait for the next promotion, which admits them to their key: the row of the key must not stay locked until the
 * caller's transaction ends.
 */
class DelayedPlacing implements Placing {
  private readonly placements: ReadonlyMap<NewJob, Placement>

  /** Refuses a job whose payload has no valid key. */
  constructor(jobs: readonly NewJob[], types: readonly StoredType[]) {
    const rules = new Rules(DEFAULTS)
    rules.load({ types, settings: [], draining: [] })
    this.placements = new Map(
      jobs.map((job) => {
        const group = groupOf(job, rules.effective(job.type).group)
        return [job, group ? { group, status: 'scheduled' } : UNGROUPED]
      }),
    )
  }

  async store(jobs: readonly NewJob[], batch: InsertBatch): Promise<void> {
    for (const job of jobs) batch.add(job, this.placements.get(job) ?? UNGROUPED)
    await batch.store()
  }

  inserted(): void {}
}

/** The first job of each type decides its kind. */
function typesOf(jobs: readonly NewJob[]): readonly NewType[] {
  const kinds = new Map<string, Kind>()
  for (const { type, kind } of jobs) if (!kinds.has(type)) kinds.set(type, kind)
  return [...kinds].map(([name, kind]) => ({ name, kind }))
}

/** Of two types with the same name the first one counts. */
function refuseOtherKinds(types: readonly NewType[], jobs: readonly NewJob[]): void {
  const rules = new Rules(DEFAULTS)
  const rows = types.map((type) => ({ ...type, declared: '{}', override: '{}' }))
  rules.load({ types: rows.reverse(), settings: [], draining: [] })
  for (const { type, kind } of jobs) rules.refuseOtherKind(type, kind)
}

/** An error would abort the caller's transaction; the savepoint limits the rollback to this call. */
async function inSavepoint<Result>(query: RunQuery, run: () => Promise<Result>): Promise<Result> {
  await query('SAVEPOINT millrace_enqueue')
  try {
    const result = await run()
    await query('RELEASE SAVEPOINT millrace_enqueue')
    return result
  } catch (error) {
    await query('ROLLBACK TO SAVEPOINT millrace_enqueue')
    await query('RELEASE SAVEPOINT millrace_enqueue')
    throw error
  }
}

function refusalOf(wrapped: unknown): QueueError {
  // Drizzle wraps the errors of the driver.
  const error = wrapped instanceof Error && wrapped.cause instanceof Error ? wrapped.cause : wrapped
  const code = error instanceof Error && 'code' in error ? error.code : null
  if (code === '25P02') {
    return new QueueError(
      'WRONG_STATE',
      'An earlier statement has aborted this transaction; roll back and begin again.',
    )
  }
  if (code === '40001') {
    return new QueueError(
      'BUSY',
      'Since the snapshot of this transaction, another one has stored this key or the first job of this type; ' +
        'nothing was stored. Roll back and begin again.',
      { sqlState: code },
    )
  }
  const kind = classifyError(error)
  if (kind === 'full') return diskFull()
  if (kind === 'refused') return asQueueError(error)
  const reason = error instanceof Error ? error.message : String(error)
  return new QueueError('BUSY', `PostgreSQL aborted the statement (${reason}); roll back and begin again.`, {
    sqlState: code,
  })
}
