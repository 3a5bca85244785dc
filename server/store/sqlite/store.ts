/** SQLite store: one writing connection, and a reader thread for long reads. */
import { existsSync, realpathSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { eq } from 'drizzle-orm'
import { leadership } from '../../../drizzle/sqlite/schema.ts'
import { QueueError } from '../../../shared/errors.ts'
import { MINUTE } from '../../../shared/limits.ts'
import type { StoreFacts } from '../../../shared/records.ts'
import { DEFAULTS, type Defaults } from '../../../shared/settings/settings.ts'
import type { Clock } from '../../base/clock.ts'
import { ClockTrust } from '../clock-trust.ts'
import type { DirectStore } from '../direct-store.ts'
import { intercept } from '../intercept.ts'
import type { Op } from '../ops.ts'
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
  openSqliteConnection,
  sqliteVersion,
  walBytes,
  wasNotClosed,
} from './connection/open.ts'
import { jsonQueue, toOpenError, UnusableFile } from './connection/open-errors.ts'
import { isJsonQueue } from './connection/own-tables.ts'
import { keepPrivate, prepareFile } from './connection/prepare-file.ts'
import { asReadError } from './connection/sqlite-errors.ts'
import { Ballast } from './files/ballast.ts'
import { inspectWal } from './files/damaged-wal.ts'
import { classifyErrorAt } from './files/disk-quota.ts'
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

/** Methods that translate their errors themselves. */
const WRITES: ReadonlySet<PropertyKey> = new Set(['commit', 'commitNow', 'enqueueIn', 'close'])
const POLL_MS = 5
/** A database in memory has no other processes. */
const MEMORY_POLL_MS = 30_000
const DEFAULT_SEARCH_BUDGET_MS = 250
/** Lock timeout of `commitNow`: the better-sqlite3 default. */
const BLOCKING_WAIT_MS = 5_000
/** Up to this many minute rows are read on the main thread, in about 2 ms. */
const INLINE_MINUTES = 500
/** Up to this many types with ready jobs are looked up on the main thread, in about 2 ms: a few seeks each. */
const INLINE_TYPES = 100
/** Up to this many keys of groups are scanned on the main thread, in about 2 ms. */
const INLINE_KEYS = 1_000

type Warn = (message: string) => void

export interface SqliteStoreOptions {
  /** A path, or `:memory:`. */
  readonly file: string
  readonly clock: Clock
  readonly defaults?: Partial<Defaults>
  readonly durability?: Durability
  /** Servers own their file; command lines and embedded queues share it. */
  readonly owner?: boolean
  /** Do not change the mode of an existing file: it belongs to an application, or to the engine that this one assists. */
  readonly keepModes?: boolean
  readonly searchBudgetMs?: number
  /** Size limit of the file; its last part is reserved for finishing work. */
  readonly maxBytes?: number | null
  /** Maximum size of the reserve beside the file; default: by the size of the disk, at most 16 MiB. */
  readonly maxReserveBytes?: number
  /** Called about a condition that works but may not be intended. */
  readonly onWarning?: Warn
  /** Called about lost data; default: a warning. */
  readonly onError?: (error: unknown) => void
}

/** Opens or creates the file and migrates it, synchronously. */
export function openSqliteStoreSync(options: SqliteStoreOptions): DirectStore {
  const file = options.file === ':memory:' ? options.file : resolve(options.file)
  for (;;) {
    try {
      return openFile(options, file)
    } catch (error) {
      // Opening creates the WAL and its index, which need space too: release the reserve and try again.
      if (!existsSync(file) || classifyErrorAt(realpathSync(file), error) !== 'full') throw toOpenError(error, file)
      if (new Ballast(realpathSync(file)).release() === 0) throw toOpenError(error, file)
    }
  }
}

function openFile(options: SqliteStoreOptions, file: string): DirectStore {
  const { durability = 'full', owner = false, onWarning = emitWarning } = options
  const lock = file === ':memory:' ? undefined : prepareFile(file, { isOwner: owner, report: onWarning })
  let connection: Connection | undefined
  try {
    const notClosed = wasNotClosed(realFile(file))
    if (notClosed) reportDamagedWal(options, file, onWarning)
    connection = openSqliteConnection({ file, durability, maxBytes: options.maxBytes ?? null })
    const isChecked = lock !== undefined && (notClosed || isSmall(file))
    if (isChecked) assertIntact(connection.client)
    const isQueue = isJournalled(connection.client)
    if (owner && !isQueue && isJsonQueue(connection.client)) throw jsonQueue(file)
    const { newest } = migrate(connection)
    if (file !== ':memory:' && isQueue && !options.keepModes) keepPrivate(connection, onWarning)
    // From here on waiting would block the event loop: the engine keeps the batch and retries it.
    connection.client.pragma('busy_timeout = 0')
    const store = createStore({ ...options, file, durability, isChecked, newest, connection, lock })
    return intercept(store, WRITES, { failed: asReadError })
  } catch (error) {
    connection?.client.close()
    if (toOpenError(error, file) instanceof UnusableFile) lock?.withdraw()
    else lock?.release()
    throw error
  }
}

function reportDamagedWal({ owner = false, clock, onError }: SqliteStoreOptions, file: string, onWarning: Warn): void {
  const report = (message: string) => (onError ? onError(new Error(message)) : onWarning(message))
  inspectWal({ file: realFile(file), isOwner: owner, clock, report })
}

interface OpenedFile extends SqliteStoreOptions {
  readonly durability: Durability
  /** The file was checked for damage when it was opened. */
  readonly isChecked: boolean
  /** Time of the newest migration of this version. */
  readonly newest: number
  readonly connection: Connection
  readonly lock: OwnerLock | undefined
}

function createStore(options: OpenedFile): DirectStore {
  const { file, clock, durability, connection, lock } = options
  const { client } = connection
  const defaults: Defaults = { ...DEFAULTS, ...options.defaults }
  const now = () => clock.now()
  const readOptions = { now, defaults, searchBudgetMs: options.searchBudgetMs ?? DEFAULT_SEARCH_BUDGET_MS }
  const counts = new KeptCounts(client)
  const reads = createReads(client, { ...readOptions, counts })
  const reader = file === ':memory:' ? null : createReader(file, readOptions)
  const trust = new ClockTrust(clock, options.onWarning ?? emitWarning)
  const readUntil = (name: string) =>
    connection.db.select({ until: leadership.until }).from(leadership).where(eq(leadership.name, name)).get()?.until
  trust.start(now(), readUntil(CLOCK) ?? null, readUntil(CLOCK_STEADY))
  const operations = new Operations(client, defaults, trust)
  // SQLite puts the WAL beside the target of a symbolic link; the reserve is there too.
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
  const lastKey = client.prepare<[], number | null>('SELECT max(rowid) FROM millrace_job_groups').pluck()
  let watched = dataVersion.get()
  let closed = false
  const open = () => {
    if (closed) throw new QueueError('CLOSED', 'The queue is closed; open it again to read from it.')
    return reads
  }

  /** A write to a deleted or replaced file is never acknowledged. */
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
      // Also after a failure: while another process holds the lock, a deleted file would otherwise go unnoticed.
      files?.check()
    }
  }

  /** True when the minutes since then may have more rows than the main thread should read. */
  function isLong({ sinceMinute, type }: { readonly sinceMinute: number; readonly type: string | null }): boolean {
    const minutes = now() / MINUTE - sinceMinute
    return minutes * (type === null ? open().counts().size : 1) > INLINE_MINUTES
  }

  /** Row numbers grow with new keys, so the highest one bounds their number. */
  function hasManyKeys(): boolean {
    open()
    return (lastKey.get() ?? 0) > INLINE_KEYS
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
    dueSchedulesNow: (params) => open().dueSchedules(params),
    nextScheduleNow: () => open().nextScheduleAt(),
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
    aheadInKey: async (params) => open().aheadInKey(params),
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
    groupTotals: async () => (reader && hasManyKeys() ? reader.groupTotals() : open().groupTotals()),
    groupOverrides: async () => open().groupOverrides(),
    groupKeys: async (params) => (reader && hasManyKeys() ? reader.groupKeys(params) : open().groupKeys(params)),
    groupKey: async (params) => open().groupKey(params),
    audit: async (params) => open().audit(params),
    bulk: async (id) => open().bulk(id),
    openBulks: async () => open().openBulks(),
    schedules: async (params) => open().schedules(params),
    schedulesNamed: async (params) => open().schedulesNamed(params),
    scheduleTicks: async (name, limit) => open().scheduleTicks(name, limit),
    dueSchedules: async (params) => open().dueSchedules(params),
    nextScheduleAt: async () => open().nextScheduleAt(),
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
      reserve.fill()
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
