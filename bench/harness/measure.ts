/** Measurement: medians of interleaved rounds, ratios within a round, garbage collection before each turn. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** One turn of a subject in a round; returns the measurement. */
export type Turn<Figure> = () => Figure | Promise<Figure>

export interface Rounds {
  readonly warmUp: number
  readonly counted: number
}

/**
 * Every round gives each subject one turn, and each round starts with the next subject: a temporary slowdown of the machine
 * affects all subjects equally. Returns the measurements per subject, in the order of the rounds.
 */
export async function interleave<Name extends string, Figure>(
  subjects: Readonly<Record<Name, Turn<Figure>>>,
  { warmUp, counted }: Rounds,
): Promise<Record<Name, Figure[]>> {
  const names = Object.keys(subjects) as Name[]
  const figures = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Figure[]>
  for (let round = 0; round < warmUp + counted; round++) {
    const first = round % names.length
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      sweepHeap()
      const figure = await subjects[name]()
      if (round >= warmUp) figures[name].push(figure)
    }
  }
  return figures
}

export function median(figures: readonly number[]): number {
  return percentile(figures, 0.5)
}

/** Nearest rank; the median of an even number is the mean of the middle two. */
export function percentile(figures: readonly number[], share: number): number {
  const sorted = [...figures].sort((a, b) => a - b)
  const at = share * (sorted.length - 1)
  const below = sorted[Math.floor(at)] ?? Number.NaN
  const above = sorted[Math.ceil(at)] ?? Number.NaN
  return share === 0.5 ? (below + above) / 2 : above
}

/** Median of the ratios per round: both sides were measured within the same few seconds. */
export function ratio(figures: readonly number[], base: readonly number[]): number {
  return median(figures.map((figure, round) => figure / (base[round] ?? Number.NaN)))
}

const UNTIMED_CALLS = 5

/** Sequential calls; microseconds per call. */
export async function microsPerCall(calls: number, call: () => Promise<unknown>): Promise<number> {
  for (let i = 0; i < UNTIMED_CALLS; i++) await call()
  const ms = await elapsedMs(async () => {
    for (let i = 0; i < calls; i++) await call()
  })
  return (ms * 1_000) / calls
}

export async function elapsedMs(work: () => unknown): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

let collect: (() => void) | null = null

/** Keeps the garbage of one subject out of the turn of the next. */
function sweepHeap(): void {
  if (!collect) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as () => void
  }
  collect()
}
