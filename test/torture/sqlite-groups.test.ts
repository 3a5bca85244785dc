/** Two processes on one SQLite file, killed under load: no key ever exceeds its limit or its rate, and no slot stays taken. */
import { join } from 'node:path'
import { expect, onTestFailed, test } from 'vitest'
import { seeded } from '../support/seeded.ts'
import { tempFolder } from '../support/temp.ts'
import { ask, counted, integrity } from './support/evidence.ts'
import { OVERLAPPING, TOO_CLOSE } from './support/groups-questions.ts'
import { RUN_MS, runGroups, TIMEOUT_MS } from './support/groups-run.ts'

test(
  `two processes keep to the limits of keys for ${RUN_MS / 1_000} s while they are killed`,
  async () => {
    const { seed, random } = seeded()
    onTestFailed(() => console.error(`seed ${seed}`))
    const file = join(await tempFolder(), 'queue.db')
    const asked = async <Row extends object>(question: string) => ask<Row>(file, question)
    await runGroups({ url: `sqlite:${file}`, processes: 2, random, ask: asked, never: [OVERLAPPING, TOO_CLOSE] })
    expect(ask(file, OVERLAPPING)).toEqual([])
    const [real, counters] = counted(file)
    expect(counters).toEqual(real)
    expect(await integrity(file)).toBe('ok')
  },
  TIMEOUT_MS,
)
