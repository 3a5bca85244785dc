/** What the log hears of trouble in the background. */
import { expect, test } from 'vitest'
import { openLog } from '../../server/base/log.ts'
import { backgroundReport } from '../../server/ops/background-report.ts'
import { outOfReach } from '../../server/store/postgres/connection/postgres-errors.ts'
import { TestClock } from '../support/test-clock.ts'

test('is every trouble, but of an outage a line now and then, with its cause', async () => {
  const lines: string[] = []
  const clock = new TestClock()
  const { logger } = openLog('info', { write: (line) => lines.push(line) })
  const report = backgroundReport(logger, clock)
  const outage = outOfReach(new Error('connect ECONNREFUSED'))
  for (let n = 0; n < 5; n++) report(outage)
  report(new Error('a bug'))
  report(new Error('a bug'))
  await clock.advance(10_000)
  report(outage)
  const told = lines.map((line) => JSON.parse(line)).map(({ level, msg, err }) => [level, msg, err.message])
  const away = [40, 'the database is out of reach; trying until it is back', expect.stringContaining('ECONNREFUSED')]
  const bug = [50, 'trouble in the background', 'a bug']
  expect(told).toEqual([away, bug, bug, away])
})
