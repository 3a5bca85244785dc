/** The engine: wires group commit, waiters, services and events over a store, and offers the queue's verbs. */
import { limits } from '../../shared/limits.ts'
import { WEBHOOK_TYPE } from '../../shared/reserved-types.ts'
import type { QueueSettings } from '../../shared/settings.ts'
import { emptyCounts } from '../../shared/status.ts'
import type { Clock } from '../base/clock.ts'
import { systemClock } from '../base/clock.ts'
import type { DirectStore } from '../store/direct-store.ts'
import type { Commit, Store } from '../store/store.ts'
import { Keyring } from './auth/keyring.ts'
import { Sessions } from './auth/sessions.ts'
import { createTokens, type Tokens } from './auth/tokens.ts'
import { guarded, warnOf } from './callbacks.ts'
import { Cancellations } from './claims/cancellations.ts'
import { createGiveBack, RequestsInFlight } from './claims/claim-requests.ts'
import { Results } from './claims/results.ts'
import { settledBy, settles } from './claims/settled-by.ts'
import { Waiters } from './claims/waiters.ts'
import { failingStore } from './commit/failing-store.ts'
import { DEFAULT_LIMITS, GroupCommit, type GroupCommitLimits } from './commit/group-commit.ts'
import { StoreTime } from './commit/store-time.ts'
import { EventLog, type Listener, type Told } from './events.ts'
import { newId } from './ids.ts'
import { EngineMetrics, type Levels, readLevels } from './metrics.ts'
import { BulkRunner } from './services/bulk-runner.ts'
import { Cleaner } from './services/cleaner.ts'
import { DepthRecorder } from './services/depth-recorder.ts'
import { Hints } from './services/hints.ts'
import { Leadership } from './services/leadership.ts'
import { Rescuer } from './services/rescuer.ts'
import { Scheduler } from './services/scheduler.ts'
import type { Service } from './services/service.ts'
import { Watch } from './services/watch.ts'
import { WorkerRegistry } from './services/worker-registry.ts'
import { createDirect, type Direct } from './verbs/direct.ts'
import { createTransactional, type Transactional } from './verbs/enqueue-tx.ts'
import { createNewJobs, type NewJobs } from './verbs/new-jobs.ts'
import { createObserving, type Observing } from './verbs/observe.ts'
import { createOperating, type Operating } from './verbs/operate.ts'
import { createProducing, type Producing } from './verbs/produce.ts'
import { createWorking, type Working } from './verbs/work.ts'

export interface EngineOptions {
  readonly store: Store
  readonly clock?: Clock
  readonly random?: () => number
  readonly maxPayloadBytes?: number
  readonly limits?: Partial<GroupCommitLimits>
  /** Lead upkeep from the start, whoever held it last: for the one server that owns its database. */
  readonly takeOver?: boolean
  /** Where another thread or process finds the same queue. */
  readonly url?: string
  /** Trouble in the background that no caller waits for. */
  readonly onError?: (error: unknown) => void
  /** Messages that are not errors: jobs whose lease ended, for example. Default: none are reported. */
  readonly onWarning?: (message: string) => void
  /** The store can no longer be trusted: the process should end with a code of its own. */
  readonly onFatal?: (error: Error) => void
}

/** The events of this process's engine, with ids to resume from. */
export interface Events {
  /** Calls the listener for every event; returns a function that ends the subscription. */
  subscribe(listener: Listener): () => void
  /** The events after `id`; null when they are no longer known: read again what you show. */
  since(id: string): readonly Told[] | null
  /** The id of the newest event. */
  readonly lastId: string
  /** How many listeners there are. */
  readonly listenerCount: number
}

/** A queue that runs in this process, on a SQLite file or on PostgreSQL. */
export interface Engine extends Producing, Transactional, Working, Operating, Observing, Tokens, Service {
  /** What happens in this queue, reported after each commit. */
  readonly events: Events
  /** Which tokens there are; used by the server. */
  readonly keyring: Keyring
  /** Who is signed in to the dashboard; used by the server. */
  readonly sessions: Sessions
  /** Of jobs by their ids; unknown ones are left out. */
  typesOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Where another thread or process finds the same queue; null when it ends with this process. */
  readonly address: { readonly url: string } | null
  /** This engine runs rescue, retention and bulk work for everyone on this database. */
  readonly isLeader: boolean
  /** When upkeep last knew who leads; null before the first time. */
  readonly upkeepAt: number | null
  /** Claims that wait, writes that queue. */
  readonly load: { readonly waitingClaims: number; readonly queuedWrites: number }
  /** What this engine did since it began. */
  readonly metrics: EngineMetrics
  /** What the whole queue holds, type by type. */
  levels(): Promise<Levels>
  /** For who delivers webhooks: the settings with their secrets, and how many deliveries are open. */
  webhooks(): Promise<{ readonly settings: QueueSettings; readonly open: number }>
  /** Answers everybody who waits with what there is; from now on nobody waits. The rest goes on. */
  stopWaiting(): void
  /** Stops services, wakes waiters empty-handed, finishes the writes under way, closes the store. */
  close(): Promise<void>
}

export function createEngine(options: EngineOptions): Engine {
  return assemble(options, options.store).engine
}

export interface DirectEngine {
  readonly engine: Engine
  readonly direct: Direct
}

/** With verbs that have happened when they return: only a store in this process can do that. */
export function createDirectEngine(options: EngineOptions & { readonly store: DirectStore }): DirectEngine {
  const { random = Math.random } = options
  const { engine, ...parts } = assemble(options, options.store)
  return { engine, direct: createDirect({ random, ...parts }) }
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
        // Every look at the store would fail from now on.
        watch.want(false)
        onFatal(error)
      },
    },
    options.limits,
  )
  const newJobs = createNewJobs(maxPayloadBytes, time)
  const registry = new WorkerRegistry(clock)
  const requests = new RequestsInFlight()
  const giveBack = createGiveBack(commits, requests)
  const waiters: Waiters = new Waiters(clock, time, {
    submit: (entry) => commits.add(entry),
    giveBack,
    occupied: () => watchIfNeeded(),
  })
  const results: Results = new Results(store, clock, () => watchIfNeeded())
  const cancellations: Cancellations = new Cancellations(store, clock, () => watchIfNeeded())
  const scheduler = new Scheduler(store, commits, clocks, onError)
  const rescuer: Rescuer = new Rescuer(store, commits, clocks, onError, options.onWarning ?? (() => {}))
  const bulks = new BulkRunner(store, commits, events, clocks, onError)
  const cleaner = new Cleaner(store, commits, clocks, onError)
  const depths = new DepthRecorder(store, commits, clocks, onError)
  const leadership = new Leadership(commits, clocks, holder, [rescuer, bulks, cleaner, depths], takeOver, onError)
  const watch = new Watch(store, clock, changedElsewhere, onError)
  const hints = new Hints(store, clock, onError)
  const keyring = new Keyring({ store, commits, clock, time })
  const sessions = new Sessions({ store, commits, time })
  const listening = store.listen?.(() => watch.hinted())

  let closing: Promise<void> | null = null

  function watchIfNeeded(): void {
    watch.want(
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
    results.wakeAll()
    cancellations.wakeAll()
    bulks.look()
    waiters.wake(await store.ready())
    events.tell({ kind: 'elsewhere', at: await store.now() })
  }

  async function close(): Promise<void> {
    // A store that has failed cannot be resigned from; everything else is still to be closed.
    await stop().catch(onError)
    stopWaiting()
    watch.want(false)
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
    await Promise.all([leadership.stop(), scheduler.stop()])
  }

  const engine: Engine = {
    ...createProducing(commits, newJobs),
    ...createTransactional(store, newJobs, options.limits?.queuedBytes ?? DEFAULT_LIMITS.queuedBytes),
    ...createWorking({
      cancellations,
      commits,
      waiters,
      registry,
      requests,
      giveBack,
      random,
      maxPayloadBytes,
      clock,
      time,
    }),
    ...createOperating({ store, commits, events, bulks }),
    ...createObserving(store, results, () => leadership.isSilent),
    ...createTokens({ store, commits, keyring }),
    events,
    keyring,
    sessions,
    typesOf: async (ids) => new Map((await store.getMany(ids)).map(({ id, type }) => [id, type])),
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
      const { scheduled, pending, processing, retrying } = counts.get(WEBHOOK_TYPE) ?? emptyCounts()
      return { settings, open: scheduled + pending + processing + retrying }
    },
    get load() {
      return { waitingClaims: waiters.size, queuedWrites: commits.backlog }
    },
    start() {
      if (takeOver) store.verify?.().catch(onError)
      scheduler.start()
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
