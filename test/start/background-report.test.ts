/** Log lines for errors of background tasks. */
import { expect, test } from 'vitest'
import { openLog } from '../../server/base/log.ts'
import { backgroundReport } from '../../server/ops/background-report.ts'
import { storeUnavailable } from '../../server/store/postgres/connection/postgres-errors.ts'
import { TestClock } from '../support/test-clock.ts'

test('logs every background error, and an outage only every 10 s, with its cause', async () => {
  const lines: string[] = []
  const clock = new TestClock()
  const { logger } = openLog('info', { write: (line) => lines.push(line) })
  const report = backgroundReport(logger, clock)
  const outage = storeUnavailable(new Error('connect ECONNREFUSED'))
  for (let n = 0; n < 5; n++) report(outage)
  report(new Error('a bug'))
  report(new Error('a bug'))
  await clock.advance(10_000)
  report(outage)
  const logged = lines.map((line) => JSON.parse(line)).map(({ level, msg, err }) => [level, msg, err.message])
  const away = [40, 'database unreachable; retrying', expect.stringContaining('ECONNREFUSED')]
  const bug = [50, 'background task failed', 'a bug']
  expect(logged).toEqual([away, bug, bug, away])
})
