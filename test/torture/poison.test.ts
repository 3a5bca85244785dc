/** Poison jobs are quarantined, and jobs that ran beside them complete. Uses real processes. */
import { expect, test } from 'vitest'
import { openEngine, type Queue } from '../../server/index.ts'
import { setAsideError } from '../../shared/lifecycle.ts'
import { DATABASES } from '../support/places.ts'
import { describeServer } from '../support/server.ts'
import { type Death, enqueueMixed, keepWorking, type Mixed } from './support/poison.ts'

/** `npm run torture:poison` runs many more. */
const POISON = Number(process.env.TORTURE_POISON ?? 1)
const WORKERS = Math.min(POISON, 8)
const KINDS: readonly Death[] = ['segfault', 'abort', 'kill', 'exit']
const deaths = Array.from({ length: POISON }, (_, n) => KINDS[n % KINDS.length] ?? 'segfault')
const limitMs = 60_000 + POISON * 20_000

async function judge(queue: Pick<Queue, 'get'>, { poison, good }: Mixed): Promise<void> {
  for (const id of poison) {
    expect(await queue.get({ id })).toMatchObject({ status: 'failed', crashes: 3, error: setAsideError(3) })
  }
  for (const id of good) {
    const { status, crashes } = await queue.get({ id })
    expect([status, crashes <= 1]).toEqual(['completed', true])
  }
}

describeServer('poison jobs, over HTTP', (startServer) => {
  test(
    `${POISON} among ${9 * POISON} good ones in workers of ten slots are quarantined, and no other job is`,
    async () => {
      const server = await startServer()
      const mixed = await enqueueMixed(server.engine, deaths)
      const died = await Promise.all(Array.from({ length: WORKERS }, () => keepWorking(server.url)))
      await judge(server.engine, mixed)
      // The first crash of a job may be caused by a neighbour; each further crash is its own.
      expect(died.flat().length).toBeGreaterThan(2 * POISON)
    },
    limitMs,
  )
})

for (const database of DATABASES) {
  test(
    `a poison job in a process that owns its queue is quarantined, and the nine beside it complete (${database.name})`,
    async () => {
      const place = await database.create()
      const engine = await openEngine({ url: place.url(), owner: true })
      const mixed = await enqueueMixed(engine, ['segfault'])
      await engine.close()
      expect(await keepWorking(place.url())).toEqual(['SIGSEGV', 'SIGSEGV', 'SIGSEGV'])
      const after = await openEngine({ url: place.url(), owner: true })
      await judge(after, mixed).finally(() => after.close())
    },
    limitMs,
  )
}
