/** Statements of one round trip share a Sync: each has its own rows, and the first error skips those behind it. */
import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { encodeParameter } from '../../../../server/store/postgres/connection/parameters.ts'
import { StatementBatch } from '../../../../server/store/postgres/connection/statement-batch.ts'
import { testDatabase } from '../../../support/postgres/postgres.ts'

const TWICE = { name: 'twice', text: 'SELECT $1::bigint * 2 AS twice', values: [21] }
const TEXTS = {
  name: 'texts',
  text: 'SELECT unnest($1::text[]) AS text',
  values: [['a "b" \\ {c,d}', '', null, 'NULL']],
}
const DIVIDED = { name: 'divided', text: 'SELECT 1 / $1::int AS result', values: [0] }

it('returns the rows of each statement, in every batch of a connection', async () => {
  const send = await connected()
  for (let n = 0; n < 2; n++) {
    const [twice, texts] = await send(TWICE, TEXTS)
    expect(twice).toMatchObject({ value: { rows: [{ twice: 42 }], rowCount: 1, command: 'SELECT' } })
    expect(texts).toMatchObject({
      value: { rows: [{ text: 'a "b" \\ {c,d}' }, { text: '' }, { text: null }, { text: 'NULL' }], rowCount: 4 },
    })
  }
})

it('rejects all statements with the first error, and prepares them again in the next batch', async () => {
  const send = await connected()
  for (let n = 0; n < 2; n++) {
    const failed = await send(TWICE, DIVIDED, TEXTS)
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(failed[2]).toMatchObject({ reason: { code: '22012' } })
    const [divided, texts] = await send({ ...DIVIDED, values: [1] }, TEXTS)
    expect(divided).toMatchObject({ value: { rows: [{ result: 1 }] } })
    expect(texts).toMatchObject({ value: { rowCount: 4 } })
  }
})

it('rejects a number that is too large, and keeps the connection usable', async () => {
  const send = await connected()
  const [large] = await send({ ...TWICE, values: [Number.MAX_SAFE_INTEGER] })
  expect(large).toMatchObject({ status: 'rejected', reason: expect.any(RangeError) })
  expect((await send(TWICE))[0]).toMatchObject({ value: { rows: [{ twice: 42 }] } })
})

it('refuses a parameter without a text format', () => {
  expect(() => encodeParameter({ a: 1 })).toThrow(TypeError)
})

async function connected() {
  const client = new Client({ connectionString: await testDatabase(), pipeline: true })
  await client.connect()
  onTestFinished(() => client.end())
  return (...statements: Parameters<StatementBatch['add']>[0][]) => {
    const batch = new StatementBatch()
    const results = Promise.allSettled(statements.map((statement) => batch.add(statement)))
    client.query(batch)
    return results
  }
}
