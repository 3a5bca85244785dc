/** Every endpoint that reads JSON text rejects numbers that JSON.parse would change. */
import express from 'express'
import { expect, it } from 'vitest'
import { createTaskQueueRouter } from '../../server/sdk/entries/tq.ts'
import { send } from '../rest/send.ts'
import { DATABASES } from '../support/places.ts'
import { describeServer } from '../support/server.ts'
import { listen } from './support/mounted.ts'

const ENTRIES = [
  ['POST /trpc/enqueue', (number: string) => `{"type":"a","payload":{"id":${number}}}`],
  ['POST /trpc/enqueue?batch=1', (number: string) => `{"0":{"type":"a","payload":{"id":${number}}}}`],
  ['POST /api/queue', (number: string) => `{"type":"a","data":{"id":${number}}}`],
  ['POST /api/tasks', (number: string) => `{"type":"a","payload":{"id":${number}}}`],
  ['POST /api/task-queue/tasks', (number: string) => `{"type":"a","payload":{"id":${number}}}`],
  ['POST /v1/messages', (number: string) => `{"body":"x","note":${number}}`],
] as const

/** The check reads only text, so the database does not matter. */
const ONE_DATABASE = DATABASES.slice(0, 1)

describeServer(
  'a number that JSON.parse would change',
  (startServer) => {
    it('a number that JSON.parse would change is rejected with 400 at every endpoint', async () => {
      const server = await startServer()
      const url = await listen(express().use('/tasks-of-a-host', createTaskQueueRouter(server.engine)))
      const hosted = [{ url: `${url}/tasks-of-a-host` }, 'POST /tasks', ENTRIES[3][1]] as const
      for (const [place, request, body] of [...ENTRIES.map((entry) => [server, ...entry] as const), hosted]) {
        for (const [number, becomes] of [
          ['9007199254740993', '9007199254740992'],
          ['-1e400', 'null'],
        ] as const) {
          const { status, body: response } = await send(place, request, body(number))
          const message = `The number ${number} would be stored as ${becomes}; send it as a string.`
          expect([request, status, JSON.stringify(response)]).toEqual([request, 400, expect.stringContaining(message)])
        }
      }
      expect((await server.engine.counts()).pending).toBe(0)
    })

    it('a large number is accepted as a string, and numbers that lose only fraction digits are accepted', async () => {
      const server = await startServer()
      const payload = '{"id":"9007199254740993","ratio":0.1234567890123456789,"max":9007199254740991,"far":1e300}'
      const { status } = await send(server, 'POST /trpc/enqueue', `{"type":"a","payload":${payload}}`)
      const [job] = (await server.engine.list({ payloads: true })).jobs
      expect([status, job?.payload]).toEqual([200, JSON.parse(payload)])
    })
  },
  ONE_DATABASE,
)
