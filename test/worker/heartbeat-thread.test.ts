/** Leases outlive a handler that holds the event loop: heartbeats come from a thread with a connection of its own. */
import { spawn } from 'node:child_process'
import { expect, it, onTestFinished } from 'vitest'
import { compiled } from '../support/compiled.ts'
import { describeServer } from '../support/server.ts'

const LEASE_MS = 2_000
const BUSY_MS = 5_000
const CHILD = compiled('test/worker/busy-child')

describeServer('a handler that computes for five seconds', (startServer) => {
  it.each(['on the database', 'through the server'])(
    'keeps its lease of two, %s',
    async (home) => {
      const server = await startServer()
      const { id } = await server.engine.enqueue({ type: 'sum', payload: null })
      const url = home === 'on the database' ? server.place.url() : server.url
      const child = spawn(process.execPath, [CHILD, url, `${BUSY_MS}`, `${LEASE_MS}`], {
        stdio: 'inherit',
      })
      onTestFinished(() => void child.kill('SIGKILL'))
      const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
      const { outcomes } = await server.engine.result({ ids: [id], waitMs: 30_000 })
      expect(outcomes).toEqual([{ id, status: 'completed', result: 'done' }])
      expect(await server.engine.get({ id })).toMatchObject({ attempts: 1, crashes: 0, version: 1 })
      expect(await ended).toBe(0)
    },
    60_000,
  )
})
