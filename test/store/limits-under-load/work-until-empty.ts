/** Workers that claim, complete, fail and release jobs as fast as possible, and count the outcomes. */
import type { Engine } from '../../../server/engine/engine.ts'
import type { SettleInput } from '../../../shared/contracts/work.ts'
import type { ClaimedJob } from '../../../shared/job.ts'

/** The expected minute tallies. */
export interface Tally {
  /** At least: a job whose response comes too late is released and started again. */
  started: number
  completed: number
  /** Failed attempts, whatever the status of their job. */
  failed: number
  dead: number
}

export interface WorkOptions {
  readonly random: () => number
  /** The types of each worker. null: all types. */
  readonly typesOfWorkers: readonly (readonly string[] | null)[]
}

const MOST = 4
/** The longest run of a job, in turns of the event loop. */
const TURNS = 8
const WAIT_MS = 250

export async function workUntilEmpty(engine: Engine, { random, typesOfWorkers }: WorkOptions): Promise<Tally> {
  const tally: Tally = { started: 0, completed: 0, failed: 0, dead: 0 }
  const upTo = (most: number) => Math.floor(random() * (most + 1))

  function decide({ id, version }: ClaimedJob): SettleInput {
    const roll = random()
    if (roll < 0.2) return { kind: 'release', id, version, delayMs: upTo(5) }
    if (roll < 0.4) return { kind: 'fail', id, version, error: 'not today', retryInMs: upTo(5) }
    if (roll < 0.45) return { kind: 'fail', id, version, error: 'never', retry: false }
    return { kind: 'complete', id, version }
  }

  function count(settles: readonly SettleInput[]): void {
    for (const settle of settles) {
      if (settle.kind === 'complete') tally.completed += 1
      if (settle.kind === 'fail') tally.failed += 1
      if (settle.kind === 'fail' && settle.retry === false) tally.dead += 1
    }
  }

  async function work(worker: string, types: readonly string[] | null): Promise<void> {
    const scope = types ? { types: [...types] } : {}
    let jobs: readonly ClaimedJob[] = []
    for (;;) {
      const settle = jobs.map(decide)
      const claim = { ...scope, limit: 1 + upTo(MOST - 1), waitMs: random() < 0.5 ? 0 : WAIT_MS }
      const answer = await engine.exchange({ worker, settle, claim })
      const refused = answer.settled.find((one) => !one.ok)
      if (refused && !refused.ok) throw refused.error
      count(settle)
      jobs = answer.jobs
      tally.started += jobs.length
      if (jobs.length === 0 && (await isOver(engine))) return
      for (let turn = upTo(TURNS); turn > 0; turn--) await new Promise<void>((resolve) => setImmediate(resolve))
    }
  }

  await Promise.all(typesOfWorkers.map((types, n) => work(`worker-${process.pid}-${n}`, types)))
  return tally
}

export async function isOver(engine: Engine): Promise<boolean> {
  const { pending, scheduled, retrying, processing } = await engine.counts()
  return pending + scheduled + retrying + processing === 0
}

export function addUp(tallies: readonly Tally[]): Tally {
  const sum = (pick: (tally: Tally) => number) => tallies.reduce((total, tally) => total + pick(tally), 0)
  return {
    started: sum(({ started }) => started),
    completed: sum(({ completed }) => completed),
    failed: sum(({ failed }) => failed),
    dead: sum(({ dead }) => dead),
  }
}
