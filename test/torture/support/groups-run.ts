/** Processes under load on grouped jobs of one database, killed again and again while their limits are checked. */
import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { type Engine, openEngine } from '../../../server/index.ts'
import { compiled } from '../../support/compiled/compiled.ts'
import { GROUPS } from './groups-load.ts'
import { DONE, TAKEN, TOO_FAST, UNFINISHED, WRONG } from './groups-questions.ts'

/** `npm run torture:groups` runs for a minute. */
export const RUN_MS = Number(process.env.TORTURE_GROUPS_MS ?? 6_000)
const DRAIN_MS = 60_000
/** Of the whole test. */
export const TIMEOUT_MS = RUN_MS + DRAIN_MS + 60_000

const CHILD = compiled('test/torture/support/groups-child')
const MIN_LIFE_MS = 500
const MORE_LIFE_MS = 2_000
const LOOK_MS = 20
/** Far fewer than on an idle machine: the run must have happened. */
const MIN_LOOKS = 10
const MIN_JOBS = 10

export type Ask = <Row extends object>(question: string) => Promise<Row[]>

export interface GroupsRun {
  readonly url: string
  readonly processes: number
  readonly random: () => number
  /** Runs a query without code of the queue. */
  readonly ask: Ask
  /** Questions about the history that must have no answer. */
  readonly never?: readonly string[]
}

export async function runGroups({ url, processes, random, ask, never = [] }: GroupsRun): Promise<void> {
  const engine = await openEngine({ url })
  try {
    for (const { name, rules } of GROUPS) await engine.updateGroup({ name, set: rules, actor: 'test' })
    const until = performance.now() + RUN_MS
    const lives = Array.from({ length: processes }, (_, place) => liveAndDie(url, place, random, until))
    const looks = await look(ask, until)
    const kills = (await Promise.all(lives)).reduce((sum, n) => sum + n, 0)
    expect(looks.wrong).toEqual([])
    expect(kills).toBeGreaterThan(processes)
    for (const question of [TOO_FAST, ...never]) expect(await ask(question), question).toEqual([])

    await drain(engine)
    expect(await ask(WRONG)).toEqual([])
    expect(await ask(TAKEN)).toEqual([])
    expect(await ask(UNFINISHED)).toEqual([])
    const [done] = await ask<{ jobs: number; attempts: number }>(DONE)
    console.info(`${kills} kills, ${done?.jobs} jobs, ${done?.attempts} attempts, ${looks.number} snapshots`)
    expect(done?.jobs).toBeGreaterThan(MIN_JOBS)
  } finally {
    await engine.close()
  }
}

async function look(ask: Ask, until: number): Promise<{ readonly number: number; readonly wrong: readonly unknown[] }> {
  const wrong: unknown[] = []
  let number = 0
  for (; performance.now() < until || number < MIN_LOOKS; number++) {
    wrong.push(...(await ask(WRONG)))
    await sleep(LOOK_MS)
  }
  return { number, wrong }
}

/** Returns how often the process was killed. */
async function liveAndDie(url: string, place: number, random: () => number, until: number): Promise<number> {
  let kills = 0
  while (kills < 2 || performance.now() < until) {
    const seed = Math.floor(random() * 2 ** 31)
    const child = spawn(process.execPath, [CHILD, url, `p${place}-${kills}`, String(seed)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exited = new Promise<NodeJS.Signals | null>((resolve) => child.once('close', (_, signal) => resolve(signal)))
    await ready(child)
    await sleep(MIN_LIFE_MS + random() * MORE_LIFE_MS)
    child.kill('SIGKILL')
    expect(await exited, 'it must not have died by itself').toBe('SIGKILL')
    kills += 1
  }
  return kills
}

function ready(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.stdout?.once('data', () => resolve())
    child.once('close', (code) => reject(new Error(`the child ended early with ${code}`)))
  })
}

/** Works until nothing is left: a slot that stayed taken leaves blocked jobs. The rate was tested before, and is lifted. */
async function drain(engine: Engine): Promise<void> {
  await engine.updateGroup({ name: 'rated', set: { rate: null }, actor: 'test' })
  const types = GROUPS.map(({ name }) => name)
  for (const until = performance.now() + DRAIN_MS; performance.now() < until; ) {
    const jobs = await engine.claim({ worker: 'drain', types, limit: 100, waitMs: 100 })
    await engine.exchange({
      worker: 'drain',
      settle: jobs.map(({ id, version }) => ({ kind: 'complete', id, version })),
    })
    const { counts } = await engine.stats()
    const left = counts.pending + counts.processing + counts.retrying + counts.scheduled + counts.blocked
    if (jobs.length === 0 && left === 0) return
  }
}
