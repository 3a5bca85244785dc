/** The engine: connects group commit, waiters, services and events to a store, and implements `Queue`. */

import { type JobFilter, jobFilter } from '../../shared/contracts/observe.ts'
import { limits } from '../../shared/limits.ts'
import type { Queue, Transactional } from '../../shared/queue.ts'
import { WEBHOOK_TYPE } from '../../shared/reserved-types.ts'
import type { QueueSettings } from '../../shared/settings/settings.ts'
import { emptyCounts } from '../../shared/status.ts'
import { parseInput } from '../../shared/verbs/parse-input.ts'
import { type ParsedVerbs, parsingVerbs } from '../../shared/verbs/verb-inputs.ts'
import { systemClock } from '../base/clock.ts'
import { newId } from '../base/ids.ts'
import type { DirectStore } from '../store/direct-store.ts'
import type { Commit, Store } from '../store/store.ts'
import { Keyring } from './auth/keyring.ts'
import { Sessions } from './auth/sessions.ts'
import { createTokenVerbs } from './auth/tokens.ts'
import { guarded, warnOf } from './callbacks.ts'
import { failingStore } from './commit/failing-store.ts'
import { DEFAULT_LIMITS, GroupCommit } from './commit/group-commit.ts'
import { StoreTime } from './commit/store-time.ts'
import type { EngineOptions } from './engine-options.ts'
import { EventLog, type Events } from './events.ts'
import { EngineMetrics, type Levels, readLevels } from './metrics.ts'
import { Ticker } from './schedules/ticker.ts'
import { BulkRunner } from './services/bulk-runner.ts'
import { Cleaner } from './services/cleaner.ts'
import { DepthRecorder } from './services/depth-recorder.ts'
import { GroupAdmitter } from './services/group-admitter.ts'
import { Hints } from './services/hints.ts'
import { Leadership } from './services/leadership.ts'
import { Rescuer } from './services/rescuer.ts'
import { Scheduler } from './services/scheduler.ts'
import type { Service } from './services/service.ts'
import { Watch } from './services/watch.ts'
import { WorkerRegistry } from './services/worker-registry.ts'
import { createDirect, type Direct } from './verbs/direct.ts'
import { createTransactional } from './verbs/enqueue-tx.ts'
import { createGroupVerbs } from './verbs/groups.ts'
import { createNewJobs, type NewJobs } from './verbs/new-jobs.ts'
import { createReadVerbs } from './verbs/observe.ts'
import { type AuditVerb, createOperatorVerbs } from './verbs/operate.ts'
import { createProducerVerbs } from './verbs/produce.ts'
import { createScheduleVerbs } from './verbs/schedules/schedules.ts'
import { createWorkerVerbs } from './verbs/work.ts'
import { Cancellations } from './waiting/cancellations.ts'
import { createRelease, RequestsInFlight } from './waiting/claim-requests.ts'
import { Results } from './waiting/results.ts'
import { settledBy, settles } from './waiting/settled-by.ts'
import { Waiters } from './waiting/waiters.ts'

/** A queue that runs in this process, on a SQLite file or on PostgreSQL. */
export interface Engine extends Queue, Transactional, AuditVerb, Service {
  /** The verbs without the check of their input, for callers that have parsed it; used by the server. */
  readonly parsed: ParsedVerbs & { export(filter: JobFilter): ReturnType<Queue['export']> }
  /** The events of this queue, emitted after each commit. */
  readonly events: Events
  /** The tokens; used by the server. */
  readonly keyring: Keyring
  /** The dashboard sessions; used by the server. */
  readonly sessions: Sessions
  /** The types of jobs by id; unknown ids are left out. */
  typesOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** The types of these schedules and of all that an owner declared; unknown names are left out. */
  scheduleTypes(names: readonly string[], owner: string | null): Promise<readonly string[]>
  /** Where another thread or process finds the same queue; null when it ends with this process. */
  readonly address: { readonly url: string } | null
  /** True when this engine runs rescue, retention and bulk operations for all engines on the database. */
  readonly isLeader: boolean
  /** When leadership was last checked; null before the first check. */
  readonly upkeepAt: number | null
  /** The number of waiting claims and of queued writes. */
  readonly load: { readonly waitingClaims: number; readonly queuedWrites: number }
  /** Metrics of this engine since its start. */
  readonly metrics: EngineMetrics
  /** Gauges of the whole queue by type. */
  levels(): Promise<Levels>
  /** For webhook delivery: the settings with their secrets, and the number of open deliveries. */
  webhooks(): Promise<{ readonly settings: QueueSettings; readonly open: number }>
  /** Ends all waiting calls with their current results; later calls do not wait. Everything else goes on. */
  stopWaiting(): void
  /** Stops the services, ends waiting calls, finishes pending writes, closes the store. */
  close(): Promise<void>
}

export function createEngine(options: EngineOptions): Engine {
  return assemble(options, options.store).engine
}

export interface DirectEngine {
  readonly engine: Engine
  readonly direct: Direct
}

/** Adds synchronous verbs, which need a store in this process. */
export function createDirectEngine(options: EngineOptions & { readonly store: DirectStore }): DirectEngine {
  const { random = Math.random, clock = systemClock, maxPayloadBytes = limits.payloadBytes } = options
  const { engine, ...parts } = assemble(options, options.store)
  const now = () => clock.now()
  return { engine, direct: createDirect({ random, now, maxPayloadBytes, ...parts }) }
}

interface Assembled<S extends Store> {
  readonly engine: Engine
  readonly store: S
  readonly commits: GroupCommit
  readonly newJobs: NewJobs
  readonly registry: WorkerRegistry
}

function assemble<S extends Store>(options: EngineOptions, given: S): Assembled<S> {
  const { clock = systemClock, random = Math.random, takeOver = false } = options
  const maxPayloadBytes = options.maxPayloadBytes ?? limits.payloadBytes
  const onError = options.onError ? guarded('onError', options.onError) : warnOf
  const onFatal = options.onFatal ?? onError
  const time = new StoreTime(clock)
  const clocks = { clock, time }
  const holder = newId()
  const events = new EventLog(newId(), onError, () => watchIfNeeded())

  const metrics = new EngineMetrics()

  const store: S = failingStore(given, () => commits)
  const commits: GroupCommit = new GroupCommit(
    store,
    clock,
    {
      join: (arrived) => waiters.join(arrived),
      committed: (commit, operations, elapsedMs) => {
        metrics.committed(commit, operations, elapsedMs)
        afterCommit(commit)
      },
      recovered: (outageMs) => rescuer.recovered(outageMs),
      failed: (error) => {
        // Every poll of the store would fail from now on.
        watch.setActive(false)
        onFatal(error)
      },
    },
    options.limits,
  )
  const newJobs = createNewJobs(maxPayloadBytes, time)
  const registry = new WorkerRegistry(clock)
  const requests = new RequestsInFlight()
  const releaseUndelivered = createRelease(commits, requests)
  const waiters: Waiters = new Waiters(clock, time, {
    submit: (entry) => commits.add(entry),
    releaseUndelivered,
    onOccupancyChanged: () => watchIfNeeded(),
  })
  const results: Results = new Results(store, clock, () => watchIfNeeded())
  const cancellations: Cancellations = new Cancellations(store, clock, () => watchIfNeeded())
  const scheduler = new Scheduler(store, commits, clocks, onError)
  const rescuer: Rescuer = new Rescuer(store, commits, clocks, onError, options.onWarning ?? (() => {}))
  const bulks = new BulkRunner({ store, commits, events, clocks, maxPayloadBytes, onError })
  const ticker = new Ticker({ store, commits, events, clocks, maxPayloadBytes, onError })
  const admitter = new GroupAdmitter(commits, onError)
  const cleaner = new Cleaner(store, commits, clocks, onError)
  const depths = new DepthRecorder(store, commits, clocks, onError)
  const leadership = new Leadership(commits, clocks, holder, [rescuer, bulks, cleaner, depths], takeOver, onError)
  const watch = new Watch(store, clock, changedElsewhere, onError)
  const hints = new Hints(store, clock, onError)
  const keyring = new Keyring({ store, commits, clock, time })
  const sessions = new Sessions({ store, commits, time })
  const listening = store.listen?.(() => watch.pollNow())

  let closing: Promise<void> | null = null

  function watchIfNeeded(): void {
    watch.setActive(
      !closing &&
        !commits.failure &&
        (waiters.size > 0 || results.size > 0 || cancellations.size > 0 || events.listenerCount > 0),
    )
  }

  function afterCommit(commit: Commit): void {
    time.observe(commit.now)
    events.committed(commit)
    scheduler.dueAt(commit.due.promoteAt)
    rescuer.dueAt(commit.due.leaseAt)
    results.committed(commit.changes)
    cancellations.committed(commit.changes)
    waiters.wake(commit.ready)
    if (waiters.size > 0 && settles(commit)) waiters.settled(settledBy(commit, registry))
    hints.committed(commit)
  }

  async function changedElsewhere(): Promise<void> {
    const due = await store.nextDue()
    scheduler.dueAt(due.promoteAt)
    rescuer.dueAt(due.leaseAt)
    ticker.dueAt(await store.nextScheduleAt())
    results.wakeAll()
    cancellations.wakeAll()
    bulks.check()
    waiters.wake(await store.ready())
    events.emit({ kind: 'elsewhere', at: await store.now() })
  }

  async function close(): Promise<void> {
    // Resigning fails on a failed store; the rest must still be closed.
    await stop().catch(onError)
    stopWaiting()
    watch.setActive(false)
    await admitter.stop()
    await commits.close()
    hints.stop()
    await (await listening)?.()
    await watch.stop()
    await store.close()
  }

  function stopWaiting(): void {
    waiters.close()
    results.close()
    cancellations.close()
  }

  async function stop(): Promise<void> {
    await Promise.all([leadership.stop(), scheduler.stop(), ticker.stop()])
  }

  const operatorVerbs = createOperatorVerbs({ store, commits, events, bulks, admitter })
  const groupVerbs = createGroupVerbs({ store, commits, events, admitter })
  const readVerbs = createReadVerbs({ store, results, isStalled: () => leadership.isSilent, groups: groupVerbs })
  const parsed = {
    ...createProducerVerbs(commits, newJobs),
    ...createWorkerVerbs({
      cancellations,
      commits,
      waiters,
      registry,
      requests,
      releaseUndelivered,
      random,
      maxPayloadBytes,
      clock,
      time,
    }),
    ...operatorVerbs,
    ...readVerbs,
    ...groupVerbs,
    ...createScheduleVerbs({ store, commits, events, ticker, bulks, maxPayloadBytes }),
    ...createTokenVerbs({ store, commits, keyring }),
  }

  const engine: Engine = {
    ...parsed,
    ...parsingVerbs(parsed),
    ...createTransactional(store, newJobs, options.limits?.queuedBytes ?? DEFAULT_LIMITS.queuedBytes),
    async *export(filter = {}) {
      yield* parsed.export(parseInput(jobFilter, filter))
    },
    parsed,
    events,
    keyring,
    sessions,
    typesOf: async (ids) => new Map((await store.getMany(ids)).map(({ id, type }) => [id, type])),
    async scheduleTypes(names, owner) {
      return (await store.schedulesNamed({ names, owner })).map(({ type }) => type)
    },
    address: options.url === undefined ? null : { url: options.url },
    get isLeader() {
      return leadership.isLeader
    },
    get upkeepAt() {
      return leadership.lastAnsweredAt
    },
    metrics,
    levels: () => readLevels(store),
    async webhooks() {
      const [settings, counts] = await Promise.all([store.settings(), store.counts()])
      const { scheduled, blocked, pending, processing, retrying } = counts.get(WEBHOOK_TYPE) ?? emptyCounts()
      return { settings, open: scheduled + blocked + pending + processing + retrying }
    },
    get load() {
      return { waitingClaims: waiters.size, queuedWrites: commits.backlog }
    },
    start() {
      if (takeOver) store.verify?.().catch(onError)
      scheduler.start()
      ticker.start()
      leadership.start()
    },
    stop,
    stopWaiting,
    close() {
      closing ??= close()
      return closing
    },
  }
  return { engine, store, commits, newJobs, registry }
}
