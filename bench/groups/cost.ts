/** Cost of jobs with a key against jobs without, on one database each. */
import { type Engine, openEngine } from '../../server/index.ts'
import { claimAll, completeAll } from '../engine/callers.ts'
import { elapsedMs, interleave, median, ratio } from '../harness/measure.ts'
import { payloadOf } from '../harness/payload-of.ts'
import { cpuMicrosOf } from '../harness/process-use.ts'
import { figure, type Table, times } from '../harness/table.ts'

const ROUNDS = { warmUp: 3, counted: 11 }
/** Jobs per turn. */
const JOBS = 2_000
const CHUNK = 1_000
const TYPE = 'measured'
const PAYLOAD = payloadOf(200)

export interface Sizes {
  readonly keyedJobs: number
  readonly keys: number
  readonly plainJobs: number
}

/** An empty database for each subject. */
export interface Databases {
  readonly name: string
  readonly plain: string
  readonly keyed: string
  /** Parent process of the server; null: there is none. */
  readonly server: number | null
  /** When both are filled: as autovacuum would do within the first minute. */
  analyze?(url: string): Promise<void>
}

/** Microseconds per job. On a busy machine only the CPU time means anything; `server`: that of the database server. */
interface Cost {
  readonly elapsed: number
  readonly cpu: number
  readonly server: number
}

export interface Measured {
  readonly figures: Record<'plain' | 'keyed', Cost[]>
  readonly pending: number
  readonly blocked: number
}

/** Jobs claimed and completed per turn, and the same number added again, untimed. */
interface Subject {
  readonly engine: Engine
  add(jobs: number): Promise<void>
}

export async function measureCost(
  databases: Databases,
  { keyedJobs, keys, plainJobs }: Sizes,
  logProgress: (progress: string) => void,
): Promise<Measured> {
  const plain = await openSubject(databases.plain, null)
  const keyed = await openSubject(databases.keyed, keys)
  try {
    logProgress(`${databases.name}: filling ${figure(keyedJobs)} jobs with a key`)
    await keyed.add(keyedJobs)
    await plain.add(plainJobs)
    for (const url of [databases.plain, databases.keyed]) await databases.analyze?.(url)
    logProgress(`${databases.name}: ${ROUNDS.warmUp} + ${ROUNDS.counted} rounds`)
    const { server } = databases
    const figures = await interleave({ plain: () => turn(plain, server), keyed: () => turn(keyed, server) }, ROUNDS)
    const { blocked, pending } = await keyed.engine.counts()
    return { figures, pending, blocked }
  } finally {
    await Promise.all([plain.engine.close(), keyed.engine.close()])
  }
}

async function openSubject(url: string, keys: number | null): Promise<Subject> {
  const engine = await openEngine({ url })
  await engine.declareTypes({
    actor: 'bench',
    types: [{ name: TYPE, kind: 'job', settings: keys === null ? {} : { group: { concurrency: 2 } } }],
  })
  let next = 0
  return {
    engine,
    async add(jobs) {
      for (let left = jobs; left > 0; left -= CHUNK) {
        const job = () => ({ type: TYPE, payload: PAYLOAD, ...(keys !== null && { group: `key-${next++ % keys}` }) })
        await engine.enqueueMany({ jobs: Array.from({ length: Math.min(left, CHUNK) }, job) })
      }
    },
  }
}

async function turn({ engine, add }: Subject, server: number | null): Promise<Cost> {
  const serverCpu = () => (server === null ? 0 : (cpuMicrosOf(server) ?? 0))
  const [before, serverBefore] = [process.cpuUsage(), serverCpu()]
  const ms = await elapsedMs(async () => completeAll(engine, await claimAll(engine, TYPE, JOBS)))
  const { user, system } = process.cpuUsage(before)
  const serverUsed = serverCpu() - serverBefore
  await add(JOBS)
  return { elapsed: (ms * 1_000) / JOBS, cpu: (user + system) / JOBS, server: serverUsed / JOBS }
}

export function costTable(
  { name, server }: Databases,
  { keyedJobs, keys, plainJobs }: Sizes,
  { figures: { plain, keyed }, pending, blocked }: Measured,
): Table {
  const kinds = ['elapsed', 'cpu', ...(server === null ? [] : (['server'] as const))] as const
  const of = (costs: readonly Cost[], kind: keyof Cost) => costs.map((cost) => cost[kind])
  const medians = (costs: readonly Cost[]) => kinds.map((kind) => figure(median(of(costs, kind))))
  return {
    title: `${name}: claim and complete, 64 callers, microseconds per job`,
    head: ['', 'time', 'CPU time', ...(server === null ? [] : ['CPU time of the server'])],
    rows: [
      [`${figure(plainJobs)} jobs without a key`, ...medians(plain)],
      [`${figure(keyedJobs)} jobs over ${figure(keys)} keys`, ...medians(keyed)],
      ['with a key / without', ...kinds.map((kind) => times(ratio(of(keyed, kind), of(plain, kind))))],
    ],
    notes: [`with keys: ${figure(pending)} pending, ${figure(blocked)} blocked, at most 2 of a key at a time`],
  }
}
