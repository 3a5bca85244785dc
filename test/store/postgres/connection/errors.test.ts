/** A connection that breaks while it is in use. */
import { expect, onTestFinished, test } from 'vitest'
import { connectPostgres } from '../../../../server/store/postgres/connection/open.ts'
import { classifyError } from '../../../../server/store/postgres/connection/postgres-errors.ts'
import { testDatabase } from '../../../support/postgres/postgres.ts'

test('classifies a connection that broke between two statements as unreachable', async () => {
  const { pool } = await connectPostgres(await testDatabase())
  onTestFinished(() => pool.end())
  const client = await pool.connect()
  const ended = new Promise((resolve) => client.once('end', resolve))
  const { rows } = await client.query('select pg_backend_pid() as pid')
  await pool.query('select pg_terminate_backend($1)', [rows[0].pid])
  await ended
  const error = await client.query('select 1').catch((reason: unknown) => reason)
  client.release(true)
  expect(error).toBeInstanceOf(Error)
  expect(classifyError(error)).toBe('unreachable')
})
