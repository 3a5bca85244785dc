/** Calls of one turn share requests: queries one, mutations another, as the server's router demands. */
import { expect, it } from 'vitest'
import { z } from 'zod'
import { appRouter } from '../../server/api/router.ts'
import { openRemoteQueue } from '../../server/sdk/remote/remote-queue.ts'
import { QUERIES } from '../../server/sdk/remote/server-calls.ts'
import { DATABASES } from '../support/places.ts'
import { describeServer } from '../support/server.ts'

const isQuery = z.object({ type: z.literal('query') })

it('knows the queries of the router', () => {
  const procedures = Object.entries<object>(appRouter._def.procedures)
  const queries = procedures.flatMap(([name, { _def }]: [string, { _def?: unknown }]) =>
    name !== 'export' && isQuery.safeParse(_def).success ? [name] : [],
  )
  expect([...QUERIES].sort()).toEqual(queries.sort())
})

describeServer(
  'a queue behind a server',
  (startServer) => {
    it('takes queries and mutations of one turn', async () => {
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
