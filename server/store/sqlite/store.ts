/** The SQLite store: one connection that writes, one thread that reads what takes long. */
import { existsSync, realpathSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { QueueError } from '../../../shared/errors.ts'
import { MINUTE } from '../../../shared/limits.ts'
import { DEFAULTS, type Defaults } from '../../../shared/settings.ts'
import type { Clock } from '../../base/clock.ts'
import { ClockTrust } from '../clock-trust.ts'
import type { DirectStore } from '../direct-store.ts'
import { intercept } from '../intercept.ts'
import type { Op } from '../ops.ts'
import type { StoreFacts } from '../records.ts'
import { hasReadyTypes } from '../stats/status-counts.ts'
import type { Commit } from '../store.ts'
import { Committer } from './commit/commit.ts'
import { CLOCK, CLOCK_STEADY } from './commit/control.ts'
import { copyCounts, KeptCounts } from './commit/kept-counts.ts'
import { Operations } from './commit/operations.ts'
import { isJournalled, lastApplied, migrate } from './connection/migrate.ts'
import {
  type Connection,
  type Durability,
  openDatabase,
  sqliteVersion,
  walBytes,
  wasLeftOpen,
} from './connection/open.ts'
import { jsonQueue, UnfitFile, whyNot } from './connection/open-errors.ts'
import { isJsonQueue } from './connection/own-tables.ts'
import { keepPrivate, prepareFile } from './connection/prepare-file.ts'
import { asReadError } from './connection/sqlite-errors.ts'
import { Ballast } from './files/ballast.ts'
import { examineWal } from './files/damaged-wal.ts'
import { troubleAt } from './files/disk-quota.ts'
import { DiskReserve } from './files/disk-reserve.ts'
import { realFile } from './files/file-place.ts'
import { assertIntact, BackgroundCheck, isSmall } from './files/integrity.ts'
import { OpenFiles } from './files/open-files.ts'
import type { OwnerLock } from './files/owner-lock.ts'
import { Wal } from './files/wal.ts'
import { EnqueueTx } from './host/enqueue-tx.ts'
import { mainFile } from './host/host-client.ts'
import { createReader } from './reader-thread/reader.ts'
import { createReads, isHeavy, isHeavyCount } from './reads/reads.ts'
import { maintain } from './upkeep/maintain.ts'

/** These sort out their errors themselves. */
const WRITES: ReadonlySet<PropertyKey> = new Set(['commit', 'commitNow', 'enqueueIn', 'close'])
const POLL_MS = 5
/** What is in memory has no other processes. */
const MEMORY_POLL_MS = 30_000
const DEFAULT_SEARCH_BUDGET_MS = 250
/** How long `commitNow` waits for others who write: what better-sqlite3 does unless told otherwise. */
const BLOCKING_WAIT_MS = 5_000
/** Minute rows that the main thread reads itself, in about 2 ms. */
const INLINE_MINUTES = 500
/** Types with ready jobs whose oldest the main thread looks up itself, in as long: a few seeks each. */
const INLINE_TYPES = 100

type Warn = (message: string) => void

export interface SqliteStoreOptions {
  /** A path, or `:memory:`. */
  readonly file: string
  readonly clock: Clock
  readonly defaults?: Partial<Defaults>
  readonly durability?: Durability
  /** Servers own their file; command lines and embedded users share it. */
  readonly owner?: boolean
  /** The mode of a file that exists is left alone: it is an application's, or belongs to the engine that this one assists. */
  readonly keepModes?: boolean
  readonly searchBudgetMs?: number
  /** The file refuses to grow past this; the last part of it is kept for finishing work. */
  readonly maxBytes?: number | null
  /** The most disk space that is held in reserve beside the file; default: by the size of the disk, at most 16 MiB. */
  readonly maxReserveBytes?: number
  /** Something that works and that the operator may not want. */
  readonly onWarning?: Warn
  /** Something that was lost; without it a warning. */
  readonly onError?: (error: unknown) => void
}

export async function openSqliteStore(options: SqliteStoreOptions): Promise<DirectStore> {
  return openSqliteStoreNow(options)
}

/** For callers that cannot wait. */
export function openSqliteStoreNow(options: SqliteStoreOptions): DirectStore {
  const file = options.file === ':memory:' ? options.file : resolve(options.file)
  for (;;) {
    try {
      return openFile(options, file)
    } catch (error) {
      // Opening makes the log and its index, which need space as well.
      if (!existsSync(file) || troubleAt(realpathSync(file), error) !== 'full') throw whyNot(error, file)
      if (new Ballast(realpathSync(file)).release() === 0) throw whyNot(error, file)
    }
  }
}

function openFile(options: SqliteStoreOptions, file: string): DirectStore {
  const { durability = 'full', owner = false, onWarning = emitWarning } = options
  const lock = file === ':memory:' ? undefined : prepareFile(file, { isOwner: owner, report: onWarning })
  let connection: Connection | undefined
  try {
    const leftOpen = wasLeftOpen(realFile(file))
    if (leftOpen) lookAtWal(options, file, onWarning)
    connection = openDatabase(file, durability, options.maxBytes ?? null)
    const isChecked = lock !== undefined && (leftOpen || isSmall(file))
    if (isChecked) assertIntact(connection.client)
    const isQueue = isJournalled(connection.client)
    if (owner && !isQueue && isJsonQueue(connection.client)) throw jsonQueue(file)
    const { newest } = migrate(connection)
    if (file !== ':memory:' && isQueue && !options.keepModes) keepPrivate(connection, onWarning)
    // From here on a wait would freeze the event loop: the engine keeps the batch and tries again.
    connection.client.pragma('busy_timeout = 0')
    const store = createStore({ ...options, file, durability, isChecked, newest }, connection, lock)
    return intercept(store, WRITES, { failed: asReadError })
  } catch (error) {
    connection?.client.close()
    if (whyNot(error, file) instanceof UnfitFile) lock?.withdraw()
    else lock?.release()
    throw error
  }
}

function lookAtWal({ owner = false, clock, onError }: SqliteStoreOptions, file: string, onWarning: Warn): void {
  const report = (message: string) => (onError ? onError(new Error(message)) : onWarning(message))
  examineWal({ file: realFile(file), isOwner: owner, clock, report })
}

function createStore(
  options: SqliteStoreOptions & {
    readonly durability: Durability
    readonly isChecked: boolean
    /** The time of the newest migration that this version has. */
    readonly newest: number
  },
  connection: Connection,
  lock: OwnerLock | undefined,
): DirectStore {
  const { file, clock, durability } = options
  const { client } = connection
  const defaults: Defaults = { ...DEFAULTS, ...options.defaults }
  const now = () => clock.now()
  const readOptions = { now, defaults, searchBudgetMs: options.searchBudgetMs ?? DEFAULT_SEARCH_BUDGET_MS }
  const counts = new KeptCounts(client)
  const reads = createReads(client, { ...readOptions, counts })
  const reader = file === ':memory:' ? null : createReader(file, readOptions)
  const trust = new ClockTrust(clock, options.onWarning ?? emitWarning)
  const noted = client.prepare<[string], number>('SELECT until FROM millrace_leadership WHERE name = ?').pluck()
  trust.start(now(), noted.get(CLOCK) ?? null, noted.get(CLOCK_STEADY))
  const operations = new Operations(client, defaults, trust)
  // The log and the reserve are beside the file that a symbolic link leads to.
  const real = mainFile(client)
  const wal = file === ':memory:' ? null : new Wal(client, real)
  const { maxBytes = null, maxReserveBytes } = options
  const space = { maxBytes, ...(maxReserveBytes && { maxReserveBytes }) }
  const reserve = new DiskReserve({ client, file: real, clock, wal, ...space })
  const committer = new Committer(connection, operations, { reserve, wal }, now)
  const files = file === ':memory:' ? null : new OpenFiles(client, file)
  const { onWarning = emitWarning } = options
  const check = lock && !options.isChecked ? new BackgroundCheck(file, onWarning) : null
  const enqueueTx = new EnqueueTx({ file, now, reserve, durability, onWarning })
  const dataVersion = client.prepare<[], number>('PRAGMA data_version').pluck()
  let watched = dataVersion.get()
  let closed = false
  const open = () => {
    if (closed) throw new QueueError('CLOSED', 'The queue is closed; open it again to read from it.')
    return reads
  }

  /** Nothing is acknowledged that went into a file which is no longer there. */
  function write(ops: readonly Op[]): Commit {
    lock?.check()
    files?.checkLength()
    try {
      const commit = committer.commit(ops)
      counts.apply(commit.changes)
      return commit
    } catch (error) {
      counts.forget()
      throw error
    } finally {
      // Also after a failure: behind another process's lock a deleted file would otherwise go unnoticed.
      files?.check()
    }
  }

  /** Whether the minutes since then may have more rows than the main thread should read. */
  function isLong({ sinceMinute, type }: { readonly sinceMinute: number; readonly type: string | null }): boolean {
    const minutes = now() / MINUTE - sinceMinute
    return minutes * (type === null ? open().counts().size : 1) > INLINE_MINUTES
  }

  return {
    commit: async (ops) => write(ops),
    commitNow(ops) {
      open()
      client.pragma(`busy_timeout = ${BLOCKING_WAIT_MS}`)
      try {
        return write(ops)
      } finally {
        client.pragma('busy_timeout = 0')
      }
    },
    getNow: (id) => open().get(id),
    listNow: (params) => open().list(params),
    attemptsNow: (id) => open().attempts(id),
    countsNow: (type) => copyCounts(open().counts(type)),
    typesNow: () => open().types(),
    nextDueNow: () => operations.times(),
    enqueueIn(tx, jobs) {
      open()
      files?.check()
      return enqueueTx.enqueue(tx, jobs)
    },
    get: async (id) => open().get(id),
    getMany: async (ids) => open().getMany(ids),
    getNumbered: async (seqs) => open().getNumbered(seqs),
    results: async (ids) => open().results(ids),
    attempts: async (id) => open().attempts(id),
    logs: async (id, params) => open().logs(id, params),
    ahead: async (params) => open().ahead(params),
    list: async (params) => (reader && isHeavy(params, open().counts()) ? reader.list(params) : open().list(params)),
    match: async (params) =>
      reader && isHeavy(params.filter, open().counts()) ? reader.match(params) : open().match(params),
    countMatches: async (params) =>
      reader && isHeavyCount(params.filter, open().counts())
        ? reader.countMatches(params)
        : open().countMatches(params),
    counts: async (type) => copyCounts(open().counts(type)),
    totals: async () => open().totals(),
    async oldestReady(type = null) {
      const isHeavyRead = reader && type === null && hasReadyTypes(open().counts(), INLINE_TYPES + 1)
      return isHeavyRead ? reader.oldestReady(type) : open().oldestReady(type)
    },
    minutes: async (params) => (reader && isLong(params) ? reader.minutes(params) : open().minutes(params)),
    activity: async (params) => (reader && isLong(params) ? reader.activity(params) : open().activity(params)),
    async depths(params) {
      const minutes = now() / MINUTE - params.sinceMinute
      const rows = minutes * (params.type === null ? 1 + open().counts().size : 2)
      return reader && rows > INLINE_MINUTES ? reader.depths(params) : open().depths(params)
    },
    types: async () => open().types(),
    paused: async () => open().paused(),
    settings: async () => open().settings(),
    workers: async () => open().workers(),
    failureGroups: async (params) => (reader ? reader.failureGroups(params) : open().failureGroups(params)),
    audit: async (params) => open().audit(params),
    bulk: async (id) => open().bulk(id),
    openBulks: async () => open().openBulks(),
    tokens: async () => open().tokens(),
    session: async (id) => open().session(id),
    nextDue: async () => operations.times(),
    ready: async () => operations.ready(now()),
    now: async () => now(),
    pollMs: file === ':memory:' ? MEMORY_POLL_MS : POLL_MS,
    async changedElsewhere() {
      const version = dataVersion.get()
      const changed = version !== watched
      watched = version
      return changed
    },
    async maintain() {
      wal?.assertSound()
      reserve.establish()
      return { more: maintain(connection, reserve, wal) }
    },
    async facts(): Promise<StoreFacts> {
      open()
      files?.check()
      const sizeBytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0
      return {
        dialect: 'sqlite',
        version: sqliteVersion(client),
        location: file,
        durability,
        sizeBytes,
        walBytes: walBytes(real),
        isFull: reserve.isLow,
        isClockUnsure: !trust.isSure,
        hasNewerSchema: lastApplied(client) > options.newest,
      }
    },
    verify: async () => check?.run(),
    async close() {
      if (closed) return
      closed = true
      await check?.stop()
      await reader?.close()
      client.close()
      lock?.release()
    },
  }
}

function emitWarning(message: string): void {
  process.emitWarning(message)
}
