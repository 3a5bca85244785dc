/** What handlers say, and heartbeats, when the queue is out of reach for a while: kept, sent again, and never in the way. */
import { expect, it } from 'vitest'
import { QueueError } from '../../server/index.ts'
import type { Queue } from '../../server/queue/queue.ts'
import { add, describeEngine } from '../support/engine.ts'
import { gated, withWorker } from '../support/worker.ts'

type Say = { readonly log: (line: string) => void; readonly progress: (percent: number) => void }

describeEngine('the words of a job', (open) => {
  async function talking(code: 'UNREACHABLE' | 'BAD_INPUT') {
    const { engine, clock } = await open()
    const world = { isDown: false, calls: 0 }
    const queue: Queue = {
      ...engine,
      async log(input) {
        world.calls += 1
        if (world.isDown) throw new QueueError(code, 'not now')
        return engine.log(input)
      },
    }
    const gate = gated('done')
    const said: Say[] = []
    const mail = ({ log, progress }: Say) => {
      said.push({ log, progress })
      return gate.handler()
    }
    const id = await add(engine)
    const lines = async () => (await engine.logs({ id })).map(({ line }) => line)
    return { engine, clock, queue, world, gate, mail, id, lines, say: (line: string) => said[0]?.log(line) }
  }

  it('are kept while the queue cannot be reached, and come in order', async () => {
    const { clock, queue, world, gate, mail, lines, say, engine, id } = await talking('UNREACHABLE')
    await withWorker({ queue, clock }, { mail }, {}, async ({ told }) => {
      await clock.advance(0)
      say('before')
      await clock.advance(0)
      world.isDown = true
      say('one')
      await clock.advance(2_000)
      say('two')
      await clock.advance(2_000)
      world.isDown = false
      await clock.advance(500)
      say('after')
      gate.open()
      await clock.advance(0)
      expect(await lines()).toEqual(['before', 'one', 'two', 'after'])
      expect(told.filter(({ kind }) => kind === 'trouble')).toHaveLength(1)
      expect(await engine.get({ id })).toMatchObject({ status: 'completed' })
    })
  })

  it('are given up in the end: a job does not wait for them for ever', async () => {
    const { clock, queue, world, gate, mail, lines, say, engine, id } = await talking('UNREACHABLE')
    await withWorker({ queue, clock }, { mail }, {}, async () => {
      await clock.advance(0)
      world.isDown = true
      say('lost')
      gate.open()
      await clock.advance(9_000)
      expect(await engine.get({ id })).toMatchObject({ status: 'processing' })
      await clock.advance(1_000)
      expect([await lines(), world.calls]).toEqual([[], 20])
      expect(await engine.get({ id })).toMatchObject({ status: 'completed' })
    })
  })

  it('are not sent again when the queue does not want them', async () => {
    const { clock, queue, world, gate, mail, say, engine, id } = await talking('BAD_INPUT')
    await withWorker({ queue, clock }, { mail }, {}, async () => {
      await clock.advance(0)
      world.isDown = true
      say('refused')
      gate.open()
      await clock.advance(0)
      expect(world.calls).toBe(1)
      expect(await engine.get({ id })).toMatchObject({ status: 'completed' })
    })
  })
})
