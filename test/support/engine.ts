/** Engines under test: with a test clock, a probed store, and a check for leftover timers and errors. */
import { join } from 'node:path'
import { afterEach, describe, expect } from 'vitest'
import { createEngine, type Engine } from '../../server/engine/engine.ts'
import type { EngineOptions } from '../../server/engine/engine-options.ts'
import { clockTime } from '../../server/store/postgres/connection/clock.ts'
import { openPostgresStore } from '../../server/store/postgres/store.ts'
import { openSqliteStoreSync } from '../../server/store/sqlite/store.ts'
import type { Store } from '../../server/store/store.ts'
import type { EnqueueInput } from '../../shared/contracts/produce.ts'
import type { ClaimInput } from '../../shared/contracts/work.ts'
import { QueueError } from '../../shared/errors.ts'
import type { ClaimedJob } from '../../shared/job.ts'
import type { Defaults } from '../../shared/settings/settings.ts'
import { createDatabase } from './postgres/postgres.ts'
import { StallClock } from './stall-clock.ts'
import { SMALL_RESERVE_BYTES, writeMigratedFile } from './store/migrated-file.ts'
import { type Probe, probeStore } from './store/probe-store.ts'
import { makeTempFolder } from './temp.ts'
import { settle } from './test-clock.ts'

export interface Options extends Pick<EngineOptions, 'limits' | 'maxPayloadBytes' | 'onWarning'> {
  readonly clock?: StallClock
  readonly defaults?: Partial<Defaults>
}

export interface Opened {
  readonly engine: Engine
  readonly clock: StallClock
  readonly store: Probe
  /** Background errors of the engine; a test that expects errors removes them. */
  readonly errors: unknown[]
  readonly fatal: Error[]
  /** Opens a second engine on the same database; default: with the same clock. */
  another(options?: Options): Promise<Opened>
}

export type Open = (options?: Options) => Promise<Opened>

/** A new, empty database for any number of stores. */
export interface Place {
  open(options: { readonly clock: StallClock; readonly defaults: Partial<Defaults> }): Promise<Store>
  /** To be called after the last store is closed. */
  remove(): Promise<void>
}

export interface Database {
  readonly name: string
  create(): Promise<Place>
}

export const sqlite: Database = {
  name: 'SQLite',
  async create() {
    const folder = await makeTempFolder()
    const file = join(folder.path, 'queue.db')
    await writeMigratedFile(file)
    return {
      // Without fsync and with a small reserve the tests run faster; the engine's behaviour is the same.
      open: async (options) =>
        openSqliteStoreSync({
          file,
          durability: 'normal',
          maxReserveBytes: SMALL_RESERVE_BYTES,
          ...options,
        }),
      remove: () => folder.remove(),
    }
  },
}

export const postgres: Database = {
  name: 'PostgreSQL',
  async create() {
    const { url, drop } = await createDatabase()
    return {
      open: ({ clock, defaults }) => openPostgresStore({ url, time: clockTime(clock), defaults, poolSize: 4 }),
      remove: drop,
    }
  },
}

/** Every suite runs on each of these. */
const DATABASES: readonly Database[] = [sqlite, postgres]

export function describeEngine(subject: string, define: (open: Open) => void, databases = DATABASES): void {
  for (const database of databases) {
    describe(`${subject} (${database.name})`, () => {
      const opened: Opened[] = []
      const places: Place[] = []

      afterEach(async () => {
        const all = opened.splice(0)
        for (const one of all) await shut(one)
        for (const place of places.splice(0)) await place.remove()
        expect(all.map(({ clock }) => clock.pendingTimers)).toEqual(all.map(() => 0))
        expect(all.flatMap(({ errors, fatal }) => [...errors, ...fatal])).toEqual([])
        expect(all.map(({ engine }) => engine.load)).toEqual(all.map(() => ({ waitingClaims: 0, queuedWrites: 0 })))
      })

      define(async (options = {}) => {
        const place = await database.create()
        places.push(place)
        return openOn(place, { clock: new StallClock(), ...options }, opened)
      })
    })
  }
}

async function openOn(
  place: Place,
  options: Options & { readonly clock: StallClock },
  opened: Opened[],
): Promise<Opened> {
  const { clock, defaults = {}, ...engineOptions } = options
  const store = probeStore(await place.open({ clock, defaults }))
  const errors: unknown[] = []
  const fatal: Error[] = []
  const engine = createEngine({
    store,
    clock,
    // 0.5 means backoff without jitter.
    random: () => 0.5,
    onError: (error) => errors.push(error),
    onFatal: (error) => fatal.push(error),
    ...engineOptions,
  })
  const another = (others: Options = {}) => openOn(place, { ...options, ...others }, opened)
  const one: Opened = { engine, clock, store, errors, fatal, another }
  opened.push(one)
  return one
}

/** Closes the engine in any state; advances the clock only when a write still waits for it. */
async function shut({ engine, store, clock }: Opened): Promise<void> {
  store.fault = null
  store.letGo()
  let open = true
  const closing = engine.close()
  const done = () => {
    open = false
  }
  closing.then(done, done)
  for (let turn = 0; open && turn < 100; turn++) await settle()
  if (open) await Promise.race([closing, clock.advance(60_000)])
  await closing
}

/** An engine with running services, after their first round. */
export async function started(opening: Promise<Opened>): Promise<Opened> {
  const one = await opening
  one.engine.start()
  await one.clock.advance(0)
  return one
}

export async function add(engine: Engine, input: Partial<EnqueueInput> = {}): Promise<string> {
  return (await engine.enqueue({ type: 'mail', payload: {}, ...input })).id
}

export async function addMany(engine: Engine, count: number, input: Partial<EnqueueInput> = {}): Promise<string[]> {
  const jobs = Array.from({ length: count }, (_, n) => ({ type: 'mail', payload: { n }, ...input }))
  return (await engine.enqueueMany({ jobs })).map(({ id }) => id)
}

/** Claims exactly one job. */
export async function take(engine: Engine, input: Partial<ClaimInput> = {}): Promise<ClaimedJob> {
  const [job, ...more] = await engine.claim({ worker: 'worker-1', ...input })
  if (!job || more.length > 0) throw new Error('expected one job')
  return job
}

/** Enqueues and claims a job. */
export async function held(
  engine: Engine,
  input: Partial<EnqueueInput> = {},
  claim: Partial<ClaimInput> = {},
): Promise<ClaimedJob> {
  const id = await add(engine, input)
  const job = await take(engine, { types: [input.type ?? 'mail'], ...claim })
  if (job.id !== id) throw new Error('claimed another job than the one just added')
  return job
}

/** A waiting claim. Its promise is wrapped in an object, because `await` would otherwise wait for jobs. */
export async function inLine(
  engine: Engine,
  input: Partial<ClaimInput> = {},
  signal?: AbortSignal,
): Promise<{ readonly claim: Promise<string[]> }> {
  const before = engine.load.waitingClaims
  const claim = engine.claim({ worker: 'waiter', waitMs: 30_000, ...input }, { signal }).then(ids)
  await settle()
  if (engine.load.waitingClaims !== before + 1) throw new Error('the claim does not wait')
  return { claim }
}

export function ids(jobs: readonly { readonly id: string }[]): string[] {
  return jobs.map(({ id }) => id)
}

/** The QueueError that a call is expected to reject with. */
export function refused(call: Promise<unknown>): Promise<QueueError> {
  return call.then(
    () => Promise.reject(new Error('nothing was refused')),
    (error) => (error instanceof QueueError ? error : Promise.reject(error)),
  )
}

const DEADLINE_MS = 10_000

/** Waits for a condition of another thread or process; checks it once per event-loop turn. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`condition not met after ${DEADLINE_MS} ms`)
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
}
