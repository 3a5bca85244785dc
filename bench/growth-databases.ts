/** Databases of the growth benchmark, filled once, each with its own engine. */
import { join } from 'node:path'
import { type Engine, openEngine } from '../server/index.ts'
import { COMPLETED, type Crowd, MIXED, OTHER_READY, readyOf, SCHEDULED } from './crowd.ts'
import { fill } from './fill.ts'
import { elapsedMs } from './measure.ts'

export interface Planned {
  readonly name: string
  readonly jobs: number
  readonly crowd: Crowd
}

export interface Subject extends Planned {
  readonly file: string
  readonly engine: Engine
}

export const SMALL: Planned = { name: '10 k jobs', jobs: 10_000, crowd: MIXED }
export const MILLION: Planned = { name: '1 M jobs', jobs: 1_000_000, crowd: MIXED }

export const SIZES: readonly Planned[] = [SMALL, { name: '100 k jobs', jobs: 100_000, crowd: MIXED }, MILLION]

export const CROWDED: readonly Planned[] = [
  { name: '1 M completed', jobs: 1_000_000, crowd: COMPLETED },
  { name: '1 M scheduled, higher priority', jobs: 1_000_000, crowd: SCHEDULED },
  { name: '1 M ready of another type', jobs: 1_000_000, crowd: OTHER_READY },
]

/** Small tables of the same kind, for the ratios: the cost of a page depends on the rows that its filter skips. */
export const TWINS: readonly Planned[] = [
  { name: '10 k completed', jobs: 10_000, crowd: COMPLETED },
  { name: '10 k scheduled', jobs: 10_000, crowd: SCHEDULED },
  { name: '10 k ready of another type', jobs: 10_000, crowd: OTHER_READY },
]

/** The same number of ready jobs with few and with many types. */
export const TYPED: readonly [few: Planned, many: Planned] = [
  { name: '10 types', jobs: 10_000, crowd: readyOf(10) },
  { name: '10 k types', jobs: 10_000, crowd: readyOf(10_000) },
]

/** The smallest database with the same background jobs. */
export function twinOf({ crowd }: Planned): Planned {
  return TWINS.find((twin) => twin.crowd === crowd) ?? SMALL
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
