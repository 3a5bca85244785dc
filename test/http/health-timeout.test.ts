/** Health probes while the database does not respond and gives no error. */
import { expect, it } from 'vitest'
import { openLog } from '../../server/base/log.ts'
import { checkHealth, checkReadiness } from '../../server/http/health.ts'
import { describeEngine } from '../support/engine.ts'

describeEngine('health probes while the database does not respond', (open) => {
  it('health probes fail within five seconds when the database does not respond', async () => {
    const { engine, clock } = await open()
    const lines: string[] = []
    const { logger: log } = openLog('error', { write: (line) => lines.push(line) })
    let fail = (_: Error) => {}
    const never = new Promise<never>((_, reject) => {
      fail = reject
    })
    const parts = { engine: { ...engine, facts: () => never }, clock, log, isClosing: () => false }
    const probes = Promise.all([checkHealth(parts), checkReadiness(parts)])
    await clock.advance(5_000)
    const [health, readiness] = await probes
    expect(health).toEqual({ status: 'failing', problems: ['the database does not respond'] })
    expect(readiness).toMatchObject({ status: 'failing', problems: expect.arrayContaining([...health.problems]) })
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(Array(2).fill('the database has not responded for 5 s'))
    // A late error is ignored.
    fail(new Error('at last'))
    expect(await checkHealth({ ...parts, engine })).toMatchObject({ status: 'ok' })
  })
})
