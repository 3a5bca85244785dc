/** Repeated kill -9 of the real server under HTTP load: clients that retry lose nothing. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { seeded } from '../support/seeded.ts'
import { tempFolder } from '../support/temp.ts'
import { drain } from './support/drain.ts'
import { counted, integrity, jobFacts } from './support/evidence.ts'
import { emptyHistory, FIVE_ZEROS, judge } from './support/history.ts'
import { Line } from './support/line.ts'
import { LEASE_MS, Load, type LoadParts } from './support/load.ts'
import { startServerProcess } from './support/server-process.ts'

/** `npm run torture` runs many more. */
const CYCLES = Number(process.env.TORTURE_CYCLES ?? 4)
const MIN_LIFE_MS = 200
/** Some lifetimes are longer than a lease, so that leases of the previous server expire in them. */
const MORE_LIFE_MS = 1.5 * LEASE_MS

test(
  `loses nothing acknowledged over HTTP while the server is killed ${CYCLES} times`,
  async () => {
    const folder = await tempFolder()
    const file = join(folder, 'queue.db')
    const { seed, random } = seeded()
    const [line, history] = [new Line(), emptyHistory()]
    const parts: LoadParts = { line, history, random }
    const load = new Load(parts)
    for (let life = 0; life < CYCLES; life++) {
      const server = await startServerProcess(folder, { DB_PATH: file })
      line.connect(server.url)
      await sleep(MIN_LIFE_MS + random() * MORE_LIFE_MS)
      line.hangUp()
      await server.kill()
      expect(await integrity(file), `seed ${seed}, life ${life}`).toBe('ok')
    }
    const last = await startServerProcess(folder, { DB_PATH: file })
    line.connect(last.url)
    await load.end()
    await drain(parts, load)
    expect(await last.stop()).toBe(0)

    expect(judge(history, jobFacts(file)), `seed ${seed}`).toEqual(FIVE_ZEROS)
    const [real, counters] = counted(file)
    expect(counters).toEqual(real)
    // The kills happened under load.
    expect(line.unanswered).toBeGreaterThan(CYCLES)
    expect(load.laidAside.size).toBeGreaterThan(CYCLES)
    expect(history.finished.size).toBeGreaterThan(CYCLES * 20)
  },
  30_000 + CYCLES * 8_000,
)
