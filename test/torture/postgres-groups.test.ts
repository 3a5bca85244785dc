/** Four processes on one PostgreSQL, killed under load: no key ever exceeds its limit or its rate, and no slot stays taken. */
import { onTestFailed, test } from 'vitest'
import { testDatabase } from '../support/postgres/postgres.ts'
import { seeded } from '../support/seeded.ts'
import { RUN_MS, runGroups, TIMEOUT_MS } from './support/groups-run.ts'
import { ask } from './support/postgres-question.ts'

test(
  `four processes keep to the limits of keys for ${RUN_MS / 1_000} s while they are killed`,
  async () => {
    const { seed, random } = seeded()
    onTestFailed(() => console.error(`seed ${seed}`))
    const url = await testDatabase()
    await runGroups({ url, processes: 4, random, ask: (question) => ask(url, question) })
  },
  TIMEOUT_MS,
)
