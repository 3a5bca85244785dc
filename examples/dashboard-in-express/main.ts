/** An Express application with the dashboard of its queue at /admin/queue, behind its own sign-in. */
import type { AddressInfo } from 'node:net'
import express from 'express'
import { createDashboard, openQueue } from 'millrace'

const queue = await openQueue(`sqlite:${process.argv[2] ?? './data/app.db'}`)
await queue.enqueue({ type: 'greet', payload: { name: 'Ada' } })

// Replace this with the authentication of your application.
const PEOPLE = new Map([
  ['key-of-ann', { actor: 'ann' }],
  ['key-of-bob', { actor: 'bob', scopes: ['read' as const] }],
])

const dashboard = createDashboard(queue, {
  authorize: (request: express.Request) => PEOPLE.get(request.get('x-api-key') ?? ''),
})

const app = express()
app.use('/admin/queue', dashboard)
app.get('/', (_request, response) => void response.send('the shop'))

const server = app.listen(Number(process.env.PORT ?? 3_000), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/admin/queue`)
})

process.once('SIGTERM', async () => {
  const closed = new Promise((resolve) => server.close(resolve))
  await dashboard.close()
  await closed
  await queue.close()
  console.log('closed')
})
