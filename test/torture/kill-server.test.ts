/** kill -9 of the real server under load over HTTP, again and again on one file: clients that ask again lose nothing. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { tempFolder } from '../support/temp.ts'
import { counted, integrity, jobFacts } from './evidence.ts'
import { emptyHistory, FIVE_ZEROS, judge } from './history.ts'
import { Line } from './line.ts'
import { LEASE_MS, Load, type LoadParts, TYPE } from './load.ts'
import { seeded } from './seeded.ts'
import { startServerProcess } from './server-process.ts'

/** `npm run torture` asks for many more. */
const CYCLES = Number(process.env.TORTURE_CYCLES ?? 4)
const MIN_LIFE_MS = 200
/** Some lives are longer than a lease, so that claims of the life before are taken back in them. */
const MORE_LIFE_MS = 1.5 * LEASE_MS

test(
  `loses nothing acknowledged over HTTP while the server is killed ${CYCLES} times`,
  async () => {
    const file = join(await tempFolder(), 'queue.db')
    const { seed, random } = seeded()
    const parts: LoadParts = { line: new Line(), history: emptyHistory(), random }
    const { line, history } = parts
    const load = new Load(parts)
    for (let life = 0; life < CYCLES; life++) {
      const server = await startServerProcess(file)
      line.connect(server.url)
      await spareCrashes(line)
      await sleep(MIN_LIFE_MS + random() * MORE_LIFE_MS)
      line.hangUp()
      await server.kill()
      expect(await integrity(file), `seed ${seed}, life ${life}`).toBe('ok')
    }
    const last = await startServerProcess(file)
    line.connect(last.url)
    await load.end()
    await drain(parts, load)
    expect(await last.stop()).toBe(0)

    expect(judge(history, jobFacts(file)), `seed ${seed}`).toEqual(FIVE_ZEROS)
    const [real, counters] = counted(file)
    expect(counters).toEqual(real)
    // The kills came in the middle of it.
    expect(line.unanswered).toBeGreaterThan(CYCLES)
    expect(load.laidAside.size).toBeGreaterThan(CYCLES)
    expect(history.finished.size).toBeGreaterThan(CYCLES * 20)
  },
  30_000 + CYCLES * 8_000,
)

/** However often a claim's answer is lost, its job must not be set aside as one that kills its workers. */
async function spareCrashes(line: Line): Promise<void> {
  const types = [{ name: TYPE, settings: { crashBudget: 100 } }]
  await line.insist((api) => api.types.declare.mutate({ types }))
}

/** One last, orderly worker finishes what is left, while those who fell asleep over their claims come back too late. */
async function drain({ line, history }: LoadParts, load: Load): Promise<void> {
  const comeBack = (ids: Iterable<string>) =>
    Promise.all(
      [...ids].map(async (id) => {
        const late = load.laidAside.get(id)
        if (late) await load.complete(late)
      }),
    )
  for (;;) {
    const claim = { types: [TYPE], limit: 100, waitMs: 100 }
    const jobs = await line.insist((api) => api.claim.mutate({ worker: 'drain', ...claim }))
    await comeBack(jobs.map(({ id }) => id))
    for (const { id, version } of jobs) history.finishing.add(`${id} ${version}`)
    await Promise.all(jobs.map((job) => load.complete(job)))
    if (jobs.length === 0 && (await unfinished(line)) === 0) break
  }
  await comeBack(load.laidAside.keys())
}

async function unfinished(line: Line): Promise<number> {
  const { counts } = await line.insist((api) => api.stats.query())
  return counts.pending + counts.processing + counts.retrying + counts.scheduled
}
