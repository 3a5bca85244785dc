/** Stores jobs through a connection of the caller's, inside the transaction that has begun on it. */
import { statSync } from 'node:fs'
import { QueueError } from '../../../../shared/errors.ts'
import { DEFAULTS } from '../../../../shared/settings.ts'
import type { Kind } from '../../../../shared/status.ts'
import type { NewJob } from '../../ops.ts'
import type { Enqueued } from '../../store.ts'
import { Catalog } from '../claims/catalog.ts'
import { RecentPayloads } from '../claims/recent-payloads.ts'
import { Insert } from '../commit/insert.ts'
import { Ledger } from '../commit/ledger.ts'
import type { Client, Durability } from '../connection/open.ts'
import { asQueueError, codeOf, diskFull, troubleOf } from '../connection/sqlite-errors.ts'
import type { DiskReserve } from '../files/disk-reserve.ts'
import { findClient, mainFile } from './host-client.ts'

/** What `PRAGMA synchronous` says when every commit is fsynced. */
const FULL = 2

export interface EnqueueTxOptions {
  /** The queue's file: callers' connections must be to the same. */
  readonly file: string
  readonly now: () => number
  readonly reserve: DiskReserve
  readonly durability: Durability
  readonly onWarning: (message: string) => void
}

export class EnqueueTx {
  private readonly options: EnqueueTxOptions
  /** Prepared once for every connection that comes. */
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
        'No transaction has begun on this connection; begin one, or use enqueue, which has its own.',
      )
    }
    const insert = this.prepared.get(client) ?? this.prepare(client)
    if (!this.options.reserve.hasRoomFor(given)) throw diskFull()
    return insert.enqueue(given, this.options.now())
  }

  private prepare(client: Client): HostInsert {
    const { file, durability } = this.options
    if (!isSameFile(mainFile(client), file)) {
      throw new QueueError('BAD_INPUT', `This transaction is on another database than the queue's, which is ${file}.`)
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
      'Jobs enqueued in a transaction of yours are as durable as your connection, and its PRAGMA synchronous is below ' +
        'FULL: a power cut may lose the last of them. Set synchronous = FULL on it, as the queue does on its own.',
    )
  }
}

class HostInsert {
  private readonly client: Client
  private readonly ledger: Ledger
  private readonly catalog: Catalog
  private readonly insert: Insert
  private readonly kinds
  private readonly savepoint
  private readonly release
  private readonly rollbackTo

  constructor(host: Client) {
    const client = withPlainNumbers(host)
    this.client = host
    this.ledger = new Ledger(client)
    this.catalog = new Catalog(client, DEFAULTS)
    this.insert = new Insert(client, new NoPayloads(), this.ledger, this.catalog)
    this.kinds = client.prepare<[string], { name: string; kind: Kind; declared: string; override: string }>(
      `SELECT name, kind, '{}' AS declared, '{}' AS override FROM main.millrace_job_types
       WHERE name IN (SELECT value FROM json_each(?))`,
    )
    this.savepoint = client.prepare('SAVEPOINT millrace_enqueue')
    this.release = client.prepare('RELEASE millrace_enqueue')
    this.rollbackTo = client.prepare('ROLLBACK TO millrace_enqueue')
  }

  /** Nothing is remembered between calls: others have written since, and the caller may have rolled back. */
  enqueue(jobs: readonly NewJob[], now: number): Enqueued {
    const types = [...new Set(jobs.map(({ type }) => type))]
    this.begin()
    try {
      this.ledger.reload(types)
      this.ledger.begin()
      this.catalog.load({ types: this.kinds.iterate(JSON.stringify(types)), settings: [], draining: [] })
      const results = this.insert.enqueue({ kind: 'enqueue', jobs }, now)
      this.ledger.flush(now)
      this.release.run()
      return results
    } catch (error) {
      // A full disk or a failing one may have ended the caller's transaction, savepoint and all.
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
      // Nothing else has happened: the caller is in the middle of reading rows one by one.
      throw asQueueError(error)
    }
  }
}

/** Whether a caller's jobs are ever there is not known here, so there is nothing to keep at hand for a claim. */
class NoPayloads extends RecentPayloads {
  override remember(): void {}
}

/** Whatever the caller wants integers to be read as. */
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
    "This queue is a SQLite file: enqueueTx wants a better-sqlite3 Database, or Drizzle's tx or db on one.",
  )
}

/** By what the file system says: there are many ways to write a path. */
function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((file) => statSync(file, { bigint: true, throwIfNoEntry: false }))
  return a !== undefined && b !== undefined && a.ino === b.ino && a.dev === b.dev
}

function prepareOn(client: Client): HostInsert {
  try {
    return new HostInsert(client)
  } catch (error) {
    if (troubleOf(error) !== 'refused') throw refusalOf(error, client.inTransaction)
    const reason = error instanceof Error ? error.message : String(error)
    throw new QueueError(
      'WRONG_STATE',
      `This transaction does not see the queue's tables (${reason}): it is older than they are. Begin a new one.`,
    )
  }
}

function refusalOf(error: unknown, inTransaction: boolean): QueueError {
  const trouble = troubleOf(error)
  if (trouble === 'busy') return new QueueError('BUSY', busyText(error))
  if (inTransaction) return trouble === 'full' ? diskFull() : asQueueError(error)
  const reason = error instanceof Error ? error.message : String(error)
  return new QueueError(
    trouble === 'full' ? 'DISK_FULL' : 'STORE_FAILED',
    `SQLite has rolled your transaction back (${reason}): nothing of it was stored.`,
  )
}

function busyText(error: unknown): string {
  const what = 'nothing was stored. Roll back and begin again'
  return codeOf(error) === 'SQLITE_BUSY_SNAPSHOT'
    ? `Somebody has written since this transaction first read, so it can no longer write; ${what}, with BEGIN IMMEDIATE.`
    : `Another connection is writing; ${what}, with BEGIN IMMEDIATE and a busy timeout to wait for it.`
}
