/** Log lines and progress while the queue is unreachable: buffered, sent again, bounded. */
import { expect, it } from 'vitest'
import { QueueError } from '../../server/index.ts'
import type { Queue } from '../../shared/queue.ts'
import { add, describeEngine } from '../support/engine.ts'
import { gated, withWorker } from '../support/worker.ts'

type Output = { readonly log: (line: string) => void; readonly progress: (percent: number) => void }

describeEngine('log lines of a job', (open) => {
  async function openWithLogging(code: 'UNREACHABLE' | 'BAD_INPUT') {
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
    const outputs: Output[] = []
    const mail = ({ log, progress }: Output) => {
      outputs.push({ log, progress })
      return gate.handler()
    }
    const id = await add(engine)
    const lines = async () => (await engine.logs({ id })).map(({ line }) => line)
    return { engine, clock, queue, world, gate, mail, id, lines, logLine: (line: string) => outputs[0]?.log(line) }
  }

  it('log lines are buffered while the queue is unreachable and arrive in order', async () => {
    const { clock, queue, world, gate, mail, lines, logLine, engine, id } = await openWithLogging('UNREACHABLE')
    await withWorker({ queue, clock }, { mail }, {}, async ({ events }) => {
      await clock.advance(0)
      logLine('before')
      await clock.advance(0)
      world.isDown = true
      logLine('one')
      await clock.advance(2_000)
      logLine('two')
      await clock.advance(2_000)
      world.isDown = false
      await clock.advance(500)
      logLine('after')
      gate.open()
      await clock.advance(0)
      expect(await lines()).toEqual(['before', 'one', 'two', 'after'])
      expect(events.filter(({ kind }) => kind === 'error')).toHaveLength(1)
      expect(await engine.get({ id })).toMatchObject({ status: 'completed' })
    })
  })

  it('log lines are dropped after the retries, so that a job does not wait forever', async () => {
    const { clock, queue, world, gate, mail, lines, logLine, engine, id } = await openWithLogging('UNREACHABLE')
    await withWorker({ queue, clock }, { mail }, {}, async () => {
      await clock.advance(0)
      world.isDown = true
      logLine('lost')
      gate.open()
      await clock.advance(9_000)
      expect(await engine.get({ id })).toMatchObject({ status: 'processing' })
      await clock.advance(1_000)
      expect([await lines(), world.calls]).toEqual([[], 20])
      expect(await engine.get({ id })).toMatchObject({ status: 'completed' })
    })
  })

  it('log lines that the queue rejects are not sent again', async () => {
    const { clock, queue, world, gate, mail, logLine, engine, id } = await openWithLogging('BAD_INPUT')
    await withWorker({ queue, clock }, { mail }, {}, async () => {
      await clock.advance(0)
      world.isDown = true
      logLine('refused')
      gate.open()
      await clock.advance(0)
      expect(world.calls).toBe(1)
      expect(await engine.get({ id })).toMatchObject({ status: 'completed' })
    })
  })
})
