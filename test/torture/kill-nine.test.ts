/** Repeated kill -9 under load on one file: no acknowledged job is lost. */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Engine, openEngine } from '../../server/index.ts'
import { compiled } from '../support/compiled/compiled.ts'
import { seeded } from '../support/seeded.ts'
import { tempFolder } from '../support/temp.ts'
import { counted, integrity, jobFacts } from './support/evidence.ts'
import { emptyHistory, FIVE_ZEROS, type History, judge, readLines } from './support/history.ts'

/** `npm run torture` runs many more. */
const CYCLES = Number(process.env.TORTURE_CYCLES ?? 4)
const CHILD = compiled('test/torture/support/crash-child')
const MIN_LIFE_MS = 50
const MORE_LIFE_MS = 500

test(
  `loses nothing acknowledged over ${CYCLES} kills under load`,
  async () => {
    const file = join(await tempFolder(), 'queue.db')
    const { seed, random } = seeded()
    const history = emptyHistory()
    for (let life = 0; life < CYCLES; life++) {
      await liveAndDie(`sqlite:${file}`, `life${life}`, MIN_LIFE_MS + random() * MORE_LIFE_MS, history)
      expect(await integrity(file), `seed ${seed}, life ${life}`).toBe('ok')
    }
    await drain(`sqlite:${file}`, history)
    expect(judge(history, jobFacts(file)), `seed ${seed}`).toEqual(FIVE_ZEROS)
    const [real, counters] = counted(file)
    expect(counters).toEqual(real)
    expect(history.stored.size).toBeGreaterThan(CYCLES * 20)
    expect(history.finished.size).toBeGreaterThan(CYCLES * 10)
  },
  30_000 + CYCLES * 5_000,
)

async function liveAndDie(url: string, life: string, lifeMs: number, history: History): Promise<void> {
  const log = `${url.replace(/^sqlite:/, '')}.${life}.log`
  const child = spawn(process.execPath, [CHILD, url, life, log], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = new Promise<NodeJS.Signals | null>((resolve) => child.once('close', (_, signal) => resolve(signal)))
  await ready(child)
  await new Promise((resolve) => setTimeout(resolve, lifeMs))
  child.kill('SIGKILL')
  expect(await exited, 'it must not have died by itself').toBe('SIGKILL')
  readLines(history, readFileSync(log, 'utf8'))
}

function ready(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.stdout?.once('data', () => resolve())
    child.once('close', (code) => reject(new Error(`the child ended early with ${code}`)))
  })
}

/** A last worker completes the jobs of the killed processes. */
async function drain(url: string, history: History): Promise<void> {
  const engine = await openEngine({ url, owner: true })
  try {
    for (;;) {
      const jobs = await engine.claim({ worker: 'drain', types: ['crash'], limit: 100, waitMs: 100 })
      for (const { id, version } of jobs) history.finishing.add(`${id} ${version}`)
      const { settled } = await engine.exchange({
        worker: 'drain',
        settle: jobs.map(({ id, version }) => ({ kind: 'complete', id, version })),
      })
      for (const outcome of settled) {
        if (outcome.ok) history.finished.add(`${outcome.value.id} ${outcome.value.version}`)
      }
      if (jobs.length === 0 && (await unfinished(engine)) === 0) return
    }
  } finally {
    await engine.close()
  }
}

async function unfinished(engine: Engine): Promise<number> {
  const { counts } = await engine.stats()
  return counts.pending + counts.processing + counts.retrying + counts.scheduled
}
