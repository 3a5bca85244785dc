/** Databases of the growth benchmark, filled once, each with its own engine. */
import { join } from 'node:path'
import { type Engine, openEngine } from '../../server/index.ts'
import { elapsedMs } from '../harness/measure.ts'
import { COMPLETED, type Crowd, MIXED, OTHER_READY, readyOf, SCHEDULED } from './crowd.ts'
import { fill } from './fill.ts'
import { shortSize } from './sizes.ts'

export interface Planned {
  readonly name: string
  readonly jobs: number
  readonly crowd: Crowd
}

export interface Subject extends Planned {
  readonly file: string
  readonly engine: Engine
}

export interface Plan {
  /** Ascending; the first is the base of the ratios. */
  readonly sizes: readonly Planned[]
  readonly small: Planned
  readonly largest: Planned
  /** Worst cases for claims. */
  readonly crowded: readonly Planned[]
  /** Small tables of the same kind, for the ratios: the cost of a page depends on the rows that its filter skips. */
  readonly twins: readonly Planned[]
}

/** Larger worst cases only take longer to fill. */
const CROWDED_MOST = 1_000_000

export function planOf(asked: readonly number[]): Plan {
  const sizes = asked.map((jobs) => ({ name: `${shortSize(jobs)} jobs`, jobs, crowd: MIXED }))
  const [small, largest] = [sizes[0], sizes.at(-1)]
  if (!small || !largest) throw new Error('At least one size is needed.')
  const crowdedOf = (jobs: number): readonly Planned[] => [
    { name: `${shortSize(jobs)} completed`, jobs, crowd: COMPLETED },
    { name: `${shortSize(jobs)} scheduled, higher priority`, jobs, crowd: SCHEDULED },
    { name: `${shortSize(jobs)} ready of another type`, jobs, crowd: OTHER_READY },
  ]
  const crowdedJobs = Math.min(CROWDED_MOST, largest.jobs)
  const twins = crowdedJobs > small.jobs ? crowdedOf(small.jobs) : []
  return { sizes, small, largest, crowded: crowdedOf(crowdedJobs), twins }
}

/** The same number of ready jobs with few and with many types. */
export const TYPED: readonly [few: Planned, many: Planned] = [
  { name: '10 types', jobs: 10_000, crowd: readyOf(10) },
  { name: '10 k types', jobs: 10_000, crowd: readyOf(10_000) },
]

/** The smallest database with the same background jobs. */
export function twinOf({ twins, small, crowded }: Plan, planned: Planned): Planned {
  if (planned.crowd === MIXED) return small
  return (
    twins.find((twin) => twin.crowd === planned.crowd) ?? crowded.find((one) => one.crowd === planned.crowd) ?? small
  )
}

export async function openSubject(
  folder: string,
  planned: Planned,
  logProgress: (progress: string) => void,
): Promise<Subject> {
  const file = join(folder, `${planned.name.replaceAll(/\W+/g, '-')}.db`)
  const ms = await elapsedMs(() => fill(file, planned.crowd, planned.jobs))
  // Filling blocks the event loop; yield once so that SIGINT is handled.
  await new Promise(setImmediate)
  logProgress(`filled ${planned.name} in ${(ms / 1_000).toFixed(1)} s`)
  return { ...planned, file, engine: await openEngine({ url: `sqlite:${file}`, durability: 'full' }) }
}
