/** One process claims on two nodes at the same time: a job with crashes still runs alone. */
import { Client } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { openEngine } from '../../../server/index.ts'
import { until } from '../../support/engine.ts'
import { postgres } from '../../support/places.ts'

const WAITING = `SELECT count(*)::int AS n FROM pg_locks l JOIN pg_database d ON d.oid = l.database
  WHERE NOT l.granted AND d.datname = current_database()`

test('a process that claims on two nodes at once gets a suspect or another job, not both', async () => {
  const place = await postgres.create()
  const nodes = await Promise.all([1, 2].map(() => openEngine({ url: place.url(), services: false })))
  onTestFinished(async () => void (await Promise.all(nodes.map((node) => node.close()))))
  const [one, two] = nodes
  const suspect = await one?.enqueue({ type: 'mail', payload: 1 })
  // More jobs than one claim locks, so that the other claim finds some too.
  await one?.enqueueMany({ jobs: Array.from({ length: 20 }, (_, n) => ({ type: 'mail', payload: n })) })
  await place.sql(`UPDATE millrace_jobs SET crashes = 1 WHERE id = '${suspect?.id}'`)

  // Both claims have chosen or wait for each other; neither has committed.
  const blocker = new Client({ connectionString: place.url() })
  await blocker.connect()
  onTestFinished(() => blocker.end())
  await blocker.query('BEGIN')
  await blocker.query('LOCK TABLE millrace_job_counts IN EXCLUSIVE MODE')
  const claims = [
    one?.claim({ worker: 'a', types: ['mail'], about: { process: 'p' } }),
    two?.claim({ worker: 'b', types: ['mail'], about: { process: 'p' } }),
  ]
  await until(async () => (await place.sql(WAITING))[0]?.n === 2)
  await blocker.query('ROLLBACK')
  const ids = (await Promise.all(claims)).flatMap((jobs) => jobs?.map(({ id }) => id))
  // The first claim may have locked the suspect before the second one got the lock of the isolation: the second then takes another job.
  expect(ids).toHaveLength(1)
  expect(await place.sql(`SELECT id FROM millrace_jobs WHERE status = 'processing'`)).toEqual([{ id: ids[0] }])
})
