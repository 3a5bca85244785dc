/** Probes of a server whose database says nothing at all, not even that it is gone. */
import { expect, it } from 'vitest'
import { openLog } from '../../server/base/log.ts'
import { checkHealth, checkReadiness } from '../../server/http/health.ts'
import { describeEngine } from '../support/engine.ts'

describeEngine('a database that does not answer', (open) => {
  it('is told to whoever asks within seconds', async () => {
    const { engine, clock } = await open()
    const lines: string[] = []
    const { logger: log } = openLog('error', { write: (line) => lines.push(line) })
    let fail = (_: Error) => {}
    const never = new Promise<never>((_, reject) => {
      fail = reject
    })
    const parts = { engine: { ...engine, facts: () => never }, clock, log, isClosing: () => false }
    const answers = Promise.all([checkHealth(parts), checkReadiness(parts)])
    await clock.advance(5_000)
    const [health, readiness] = await answers
    expect(health).toEqual({ status: 'failing', problems: ['the database does not answer'] })
    expect(readiness).toMatchObject({ status: 'failing', problems: expect.arrayContaining([...health.problems]) })
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(Array(2).fill('the database has not answered for 5 s'))
    // What comes too late disturbs nobody.
    fail(new Error('at last'))
    expect(await checkHealth({ ...parts, engine })).toMatchObject({ status: 'ok' })
  })
})
