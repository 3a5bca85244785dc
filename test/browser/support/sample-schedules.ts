/** Sample schedules: in code and by operators, overridden, paused, orphaned and ended, with failed and skipped runs. */
import { setTimeout } from 'node:timers/promises'
import type { Engine } from '../../../server/engine/engine.ts'
import type { ScheduleCreateInput } from '../../../shared/contracts/schedules.ts'
import { DAY, HOUR, MINUTE } from '../../../shared/limits.ts'

const ACTOR = 'token:ops'
const DECLARED: ScheduleCreateInput[] = [
  {
    name: 'nightly-report',
    type: 'finance_report',
    payload: { format: 'pdf', recipients: ['finance@example.com'] },
    cron: '0 3 * * *',
    timezone: 'Europe/Berlin',
    maxAttempts: 3,
  },
  { name: 'invoices', type: 'send_invoices', payload: {}, cron: '0 8 1 * *', timezone: 'America/New_York' },
  { name: 'sync-rates', type: 'sync_rates', payload: { base: 'EUR' }, every: '45m', spread: '50%' },
]
const SCHEDULE_WORKER = 'reports-1'

/** `now` is the time of the engine. */
export async function fillSchedules(engine: Engine, now: number): Promise<void> {
  const declare = (schedules: ScheduleCreateInput[]) =>
    engine.declareSchedules({ owner: 'billing', schedules, actor: ACTOR })
  await declare([...DECLARED, { name: 'old-import', type: 'import', payload: {}, cron: '30 5 * * 1-5' }])
  await declare(DECLARED)
  const create = (schedule: ScheduleCreateInput) => engine.createSchedule({ ...schedule, actor: ACTOR })
  await create({ name: 'cleanup', type: 'cleanup', payload: { keepDays: 30 }, every: '6h', offset: '10m' })
  await create({ name: 'health-check', type: 'health_check', payload: {}, cron: '*/5 8-18 * * *', timezone: 'UTC' })
  await create({ name: 'launch-mail', type: 'send_mail', payload: {}, every: '1h', endsAt: now - MINUTE })
  await create({ name: 'warehouse', type: 'export', payload: { tables: ['orders'] }, cron: '15 */4 * * *' })
  await engine.pauseSchedule({ name: 'warehouse', note: 'migration of the warehouse', actor: ACTOR })
  await engine.updateSchedule({ name: 'nightly-report', set: { cron: '30 2 * * *', maxAttempts: null }, actor: ACTOR })
}

const TYPES = ['finance_report', 'cleanup', 'send_invoices', 'sync_rates']

/** Backfills two schedules and runs jobs; one fails. */
export async function runSchedules(engine: Engine): Promise<void> {
  const now = Date.now()
  const ranges = [
    { name: 'nightly-report', from: now - 9 * DAY, to: now - DAY },
    { name: 'cleanup', from: now - 30 * HOUR, to: now - HOUR },
  ]
  for (const range of ranges) {
    const { id } = await engine.backfillSchedule({ ...range, actor: ACTOR })
    while ((await engine.bulk({ id })).state !== 'done') await setTimeout(20)
  }
  for (const name of ['cleanup', 'invoices', 'sync-rates']) await engine.runSchedule({ name, actor: ACTOR })
  const jobs = await engine.claim({ worker: SCHEDULE_WORKER, types: TYPES, limit: 100 })
  for (const { id, version, type } of jobs) {
    if (type === 'send_invoices') await engine.fail({ id, version, error: 'upstream is down', retry: false })
    else await engine.complete({ id, version, result: null })
  }
  // The second run of a schedule that allows one job at a time is skipped.
  for (const name of ['sync-rates', 'sync-rates']) await engine.runSchedule({ name, actor: ACTOR })
}
