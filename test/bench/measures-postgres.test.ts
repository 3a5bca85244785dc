/** All measures of bench:peers on the PostgreSQL limit, with short turns. */
import { expect, it } from 'vitest'
import { openRawPostgres } from '../../bench/peers/adapters/raw-postgres.ts'
import { MEASURES, measure } from '../../bench/peers/measures.ts'
import { spansOf } from '../../bench/peers/span.ts'
import { createBareDatabase, testDatabase } from '../support/postgres/postgres.ts'

it('every measure of the PostgreSQL limit has a figure and passes its checks', async () => {
  const session = await openRawPostgres(await testDatabase(createBareDatabase), { text: 'x' })
  const turn = { session, turnMs: 20, rates: new Map(), begin: spansOf('unknown') }
  for (const name of MEASURES) {
    const { value, jobs, serverMicros } = await measure(name, turn)
    const valid = { isFast: value > 0, hasJobs: jobs > 0, serverMicros }
    expect({ name, ...valid }).toEqual({ name, isFast: true, hasJobs: true, serverMicros: null })
  }
  await session.close()
})
