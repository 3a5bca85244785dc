/** Enqueues jobs in a transaction on the caller's connection. */
import { statSync } from 'node:fs'
import { QueueError } from '../../../../shared/errors.ts'
import { DEFAULTS } from '../../../../shared/settings/settings.ts'
import type { NewJob } from '../../ops.ts'
import type { STORED_TYPE } from '../../rows/rule-rows.ts'
import type { RowOf } from '../../rows/tables.ts'
import type { Enqueued } from '../../store.ts'
import { Catalog } from '../claims/catalog.ts'
import { RecentPayloads } from '../claims/recent-payloads.ts'
import { Insert } from '../commit/insert.ts'
import { Ledger } from '../commit/ledger.ts'
import type { Client, Durability } from '../connection/open.ts'
import { asQueueError, classifyError, codeOf, diskFull } from '../connection/sqlite-errors.ts'
import type { DiskReserve } from '../files/disk-reserve.ts'
import { findClient, mainFile } from './host-client.ts'

/** Value of `PRAGMA synchronous` when every commit is fsynced. */
const FULL = 2

export interface EnqueueTxOptions {
  /** The queue's file; the caller's connection must have the same file open. */
  readonly file: string
  readonly now: () => number
  readonly reserve: DiskReserve
  readonly durability: Durability
  readonly onWarning: (message: string) => void
}

export class EnqueueTx {
  private readonly options: EnqueueTxOptions
  /** Statements, prepared once per connection. */
  private readonly prepared = new WeakMap<Client, HostInsert>()
  private warned = false

  constructor(options: EnqueueTxOptions) {
    this.options = options
  }

  enqueue(tx: unknown, jobs: () => readonly NewJob[]): Enqueued {
    const client = clientOf(tx)
    const given = jobs()
    if (!client.inTransaction) {
      throw new QueueError(
        'WRONG_STATE',
        'No transaction has begun on this connection; begin one, or use enqueue, which needs none.',
      )
    }
    const insert = this.prepared.get(client) ?? this.prepare(client)
    if (!this.options.reserve.hasSpaceFor(given)) throw diskFull()
    return insert.enqueue(given, this.options.now())
  }

  private prepare(client: Client): HostInsert {
    const { file, durability } = this.options
    if (!isSameFile(mainFile(client), file)) {
      throw new QueueError(
        'BAD_INPUT',
        `This transaction is on another database; use a connection to the queue's file, ${file}.`,
      )
    }
    const insert = prepareOn(client)
    this.prepared.set(client, insert)
    if (durability === 'full' && Number(client.pragma('synchronous', { simple: true })) < FULL) this.warn()
    return insert
  }

  private warn(): void {
    if (this.warned) return
    this.warned = true
    this.options.onWarning(
      'The connection passed to enqueueTx has PRAGMA synchronous below FULL: a power cut may lose the last jobs that were ' +
        'enqueued in its transactions. Set synchronous = FULL on it, as on the connection of the queue.',
    )
  }
}

class HostInsert {
  private readonly client: Client
  private readonly ledger: Ledger
  private readonly catalog: Catalog
  private readonly insert: Insert
  private readonly types
  private readonly savepoint
  private readonly release
  private readonly rollbackTo

  constructor(host: Client) {
    const client = withPlainNumbers(host)
    this.client = host
    this.ledger = new Ledger(client)
    this.catalog = new Catalog(client, DEFAULTS)
    this.insert = new Insert(client, {
      payloads: new NoPayloads(),
      ledger: this.ledger,
      catalog: this.catalog,
      keys: null,
    })
    this.types = client.prepare<[string], RowOf<typeof STORED_TYPE>>(
      // Of the settings an insert needs only the group, which most types do not have: parsing the others is not worth it.
      `SELECT name, kind, iif(instr(declared, '"group"') > 0, declared, '{}') AS declared,
         iif(instr(override, '"group"') > 0, override, '{}') AS override FROM main.millrace_job_types
       WHERE name IN (SELECT value FROM json_each(?))`,
    )
    this.savepoint = client.prepare('SAVEPOINT millrace_enqueue')
    this.release = client.prepare('RELEASE millrace_enqueue')
    this.rollbackTo = client.prepare('ROLLBACK TO millrace_enqueue')
  }

  /** Reads counts and types anew in each call: other processes may have written, and the caller may have rolled back. */
  enqueue(jobs: readonly NewJob[], now: number): Enqueued {
    const types = [...new Set(jobs.map(({ type }) => type))]
    this.begin()
    try {
      this.ledger.reload(types)
      this.ledger.begin()
      this.catalog.load({ types: this.types.iterate(JSON.stringify(types)), settings: [], draining: [] })
      const results = this.insert.enqueue({ kind: 'enqueue', jobs }, now)
      this.insert.flush(now)
      this.ledger.flush(now)
      this.release.run()
      return results
    } catch (error) {
      this.insert.forget()
      // A full or failing disk may have rolled back the whole transaction of the caller, including the savepoint.
      const { inTransaction } = this.client
      if (inTransaction) {
        this.rollbackTo.run()
        this.release.run()
      }
      throw refusalOf(error, inTransaction)
    }
  }

  private begin(): void {
    try {
      this.savepoint.run()
    } catch (error) {
      // Nothing was written yet. better-sqlite3 refuses statements while the caller iterates over rows.
      throw asQueueError(error)
    }
  }
}

/** Caches nothing: the caller may still roll back. */
class NoPayloads extends RecentPayloads {
  override remember(): void {}
}

/** Reads integers as numbers, whatever the caller's connection is set to. */
function withPlainNumbers(client: Client): Client {
  return new Proxy(client, {
    get: (target, name) =>
      name === 'prepare' ? (text: string) => target.prepare(text).safeIntegers(false) : Reflect.get(target, name),
  })
}

function clientOf(tx: unknown): Client {
  const found = findClient(tx)
  if (found) return found
  throw new QueueError(
    'BAD_INPUT',
    "This queue is a SQLite file; pass a better-sqlite3 Database to enqueueTx, or Drizzle's tx or db on one.",
  )
}

/** Compares device and inode: one file may have many paths. */
function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((file) => statSync(file, { bigint: true, throwIfNoEntry: false }))
  return a !== undefined && b !== undefined && a.ino === b.ino && a.dev === b.dev
}

function prepareOn(client: Client): HostInsert {
  try {
    return new HostInsert(client)
  } catch (error) {
    if (classifyError(error) !== 'refused') throw refusalOf(error, client.inTransaction)
    const reason = error instanceof Error ? error.message : String(error)
    throw new QueueError(
      'WRONG_STATE',
      `This transaction does not see the queue's tables (${reason}), because it began before they were created. Begin a new one.`,
    )
  }
}

function refusalOf(error: unknown, inTransaction: boolean): QueueError {
  const kind = classifyError(error)
  if (kind === 'busy') return new QueueError('BUSY', busyText(error))
  if (inTransaction) return kind === 'full' ? diskFull() : asQueueError(error)
  const reason = error instanceof Error ? error.message : String(error)
  return new QueueError(
    kind === 'full' ? 'DISK_FULL' : 'STORE_FAILED',
    `SQLite has rolled back this transaction (${reason}); nothing was stored. Begin it again.`,
  )
}

function busyText(error: unknown): string {
  const remedy = 'nothing was stored. Roll back and begin again'
  return codeOf(error) === 'SQLITE_BUSY_SNAPSHOT'
    ? `Another connection has written since the first read of this transaction, so it can no longer write; ${remedy}, with BEGIN IMMEDIATE.`
    : `Another connection is writing; ${remedy}, with BEGIN IMMEDIATE and a busy timeout.`
}
