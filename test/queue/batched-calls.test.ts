/** Batches of calls to a server: the queries of one turn share a request, and so do the mutations. */
import { expect, it } from 'vitest'
import { z } from 'zod'
import { appRouter } from '../../server/api/router.ts'
import { openRemoteQueue } from '../../server/sdk/remote/remote-queue.ts'
import { VERBS } from '../../shared/verbs/verbs.ts'
import { DATABASES } from '../support/places.ts'
import { describeServer } from '../support/server.ts'

const isQuery = z.object({ type: z.literal('query') })

it('the table of verbs names every query of the router as a query', () => {
  const procedures = Object.entries<object>(appRouter._def.procedures)
  const queries = procedures.flatMap(([name, { _def }]: [string, { _def?: unknown }]) =>
    name !== 'export' && isQuery.safeParse(_def).success ? [name] : [],
  )
  const inTable = Object.values(VERBS).flatMap(({ path, type }) => (type === 'query' ? [path] : []))
  expect(inTable.sort()).toEqual(queries.sort())
})

it('the table of verbs names a procedure of the router for each verb', () => {
  const others = ['backup', 'batch', 'events', 'export']
  const procedures = Object.keys(appRouter._def.procedures).filter((name) => !others.includes(name))
  expect(
    Object.values(VERBS)
      .map(({ path }) => path)
      .sort(),
  ).toEqual(procedures.sort())
})

describeServer(
  'a queue behind a server',
  (startServer) => {
    it('accepts queries and mutations of one turn', async () => {
      const queue = openRemoteQueue({ url: (await startServer()).url })
      const [{ id }, counts, more] = await Promise.all([
        queue.enqueue({ type: 'mail', payload: 1 }),
        queue.counts(),
        queue.enqueueMany({ jobs: [{ type: 'mail', payload: 2 }] }),
      ])
      expect(counts).toBeDefined()
      expect(more).toHaveLength(1)
      expect(await Promise.all([queue.get({ id }), queue.cancel({ id }), queue.types()])).toMatchObject([
        { id },
        expect.anything(),
        [{ name: 'mail' }],
      ])
    })
  },
  DATABASES.slice(0, 1),
)
