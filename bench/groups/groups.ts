/** Cost of jobs with a key against jobs without, and fairness between keys. */
import { join } from 'node:path'
import { type Engine, openEngine } from '../../server/index.ts'
import { claimAll, completeAll } from '../engine/callers.ts'
import { elapsedMs, interleave, median, ratio } from '../harness/measure.ts'
import type { Part } from '../harness/part.ts'
import { payloadOf } from '../harness/payload-of.ts'
import { figure, type Table, times } from '../harness/table.ts'
import { type Fairness, measureFairness } from './fairness.ts'

const ROUNDS = { warmUp: 3, counted: 11 }
const KEYED_JOBS = 1_000_000
const KEYS = 100_000
const PLAIN_JOBS = 10_000
/** Jobs per turn. */
const JOBS = 2_000
const CHUNK = 1_000
const TYPE = 'measured'
const PAYLOAD = payloadOf(200)

/** Jobs claimed and completed per turn, and the same number added again, untimed. */
interface Subject {
  readonly engine: Engine
  add(jobs: number): Promise<void>
}

export const groups: Part = async (folder, logProgress) => {
  const plain = await openSubject(join(folder, 'plain.db'), null)
  const keyed = await openSubject(join(folder, 'keyed.db'), KEYS)
  logProgress(`filling: ${figure(KEYED_JOBS)} jobs with a key`)
  await keyed.add(KEYED_JOBS)
  await plain.add(PLAIN_JOBS)
  const figures = await interleave({ plain: () => turn(plain), keyed: () => turn(keyed) }, ROUNDS)
  const { blocked, pending } = await keyed.engine.counts()
  await Promise.all([plain.engine.close(), keyed.engine.close()])
  logProgress('fairness')
  const fairness = await measureFairness(folder)
  const tables = [costTable(figures, { blocked, pending }), fairnessTable(fairness)]
  return { tables, results: { figures, fairness } }
}

async function openSubject(file: string, keys: number | null): Promise<Subject> {
  const engine = await openEngine({ url: `sqlite:${file}` })
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

/** Microseconds per job. On a busy machine only the CPU time means anything. */
interface Cost {
  readonly elapsed: number
  readonly cpu: number
}

async function turn({ engine, add }: Subject): Promise<Cost> {
  const before = process.cpuUsage()
  const ms = await elapsedMs(async () => completeAll(engine, await claimAll(engine, TYPE, JOBS)))
  const { user, system } = process.cpuUsage(before)
  await add(JOBS)
  return { elapsed: (ms * 1_000) / JOBS, cpu: (user + system) / JOBS }
}

function costTable(
  { plain, keyed }: Record<'plain' | 'keyed', Cost[]>,
  { pending, blocked }: { readonly pending: number; readonly blocked: number },
): Table {
  const of = (costs: readonly Cost[], which: keyof Cost) => costs.map((cost) => cost[which])
  const medians = (costs: readonly Cost[]) => [figure(median(of(costs, 'elapsed'))), figure(median(of(costs, 'cpu')))]
  const ratios = (['elapsed', 'cpu'] as const).map((which) => times(ratio(of(keyed, which), of(plain, which))))
  return {
    title: 'Claim and complete, 64 callers, microseconds per job',
    head: ['', 'time', 'CPU time'],
    rows: [
      [`${figure(PLAIN_JOBS)} jobs without a key`, ...medians(plain)],
      [`${figure(KEYED_JOBS)} jobs over ${figure(KEYS)} keys`, ...medians(keyed)],
      ['with a key / without', ...ratios],
    ],
    notes: [`with keys: ${figure(pending)} pending, ${figure(blocked)} blocked, at most 2 of a key at a time`],
  }
}

function fairnessTable({ claims, busyJobs, quietJobs }: Fairness): Table {
  return {
    title: 'Claims until a quiet key has finished, window 1',
    head: ['', 'claims'],
    rows: [[`${figure(quietJobs)} jobs beside a key with ${figure(busyJobs)}`, figure(claims)]],
  }
}
