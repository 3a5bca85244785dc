/** Reads that operators make on large tables: lists, counts and the first page of the dashboard. */
import { type Engine, STATUSES } from '../../server/index.ts'
import { microsPerCall } from '../harness/measure.ts'
import type { Crowd } from './crowd.ts'

export const PAGE = 50
export const READS = ['newest', 'filtered', 'stats', 'dashboard'] as const

/** Microseconds per call. */
export type ReadFigures = Record<(typeof READS)[number], number>

const CALLS = 40
const HISTORY_MINUTES = 60

export async function measureReads(engine: Engine, crowd: Crowd): Promise<ReadFigures> {
  const { type } = crowd.list
  const status = STATUSES.filter((known) => known === crowd.list.status)
  const fullPage = async (input: Parameters<typeof engine.list>[0]) => {
    const { jobs } = await engine.list({ ...input, limit: PAGE })
    if (jobs.length !== PAGE) throw new Error(`A page of ${PAGE} had ${jobs.length} jobs; the measurement is invalid.`)
  }
  return {
    newest: await microsPerCall(CALLS, () => fullPage({})),
    filtered: await microsPerCall(CALLS, () => fullPage({ type, status })),
    stats: await microsPerCall(CALLS, () => engine.stats()),
    dashboard: await microsPerCall(CALLS, () => firstPage(engine)),
  }
}

/** What the overview of the dashboard reads when it is opened. */
function firstPage(engine: Engine): Promise<unknown> {
  return Promise.all([
    engine.facts(),
    engine.settings(),
    engine.stats(),
    engine.workers(),
    engine.history({ minutes: HISTORY_MINUTES, together: true }),
    engine.list({ limit: PAGE }),
  ])
}
