/** Schedules page in a real browser: list, form with preview, pause, runs, backfill and the next day. */
import type { Page } from 'playwright-core'
import { expect, it, vi } from 'vitest'
import type { Engine } from '../../server/engine/engine.ts'
import type { ScheduleCreateInput } from '../../shared/contracts/schedules.ts'
import { DAY, HOUR } from '../../shared/limits.ts'
import { take } from '../support/engine.ts'
import { sqlite } from '../support/places.ts'
import { describeServer } from '../support/server.ts'
import { shareDashboard } from './support/browser.ts'
import { toast } from './support/jobs-page.ts'

const LIVE = '[data-testid=connection-state][data-connection=live]'

vi.setConfig({ testTimeout: 60_000 })

const dashboard = shareDashboard()

const NIGHTLY: ScheduleCreateInput = {
  ...{ name: 'nightly', type: 'report', payload: { format: 'pdf' }, cron: '0 3 * * *', timezone: 'Europe/Berlin' },
}
const declare = (engine: Engine, schedules: ScheduleCreateInput[]) =>
  engine.declareSchedules({ owner: 'billing', schedules })
const namesOf = (page: Page) =>
  page.locator('[data-schedule]').evaluateAll((rows) => rows.map((one) => one.getAttribute('data-schedule')))
const row = (page: Page, name: string) => page.locator(`[data-schedule="${name}"]`)
/** Changes arrive by push, and at most every two seconds. */
const eventually = (check: () => Promise<void>) => vi.waitFor(check, 15_000)
const parameter = (page: Page, name: string) => new URL(page.url()).searchParams.get(name)

describeServer(
  'Schedules page',
  (startServer) => {
    it('teaches how to create a schedule, and shows one that appears', async () => {
      const { engine, url } = await startServer({}, { pageFolder: dashboard.folder })
      const { page, problems } = await dashboard.open(`${url}/schedules`)
      await page.waitForSelector(LIVE)
      expect(await page.locator('pre').first().innerText()).toContain('queuectl schedule create nightly')
      expect(await page.locator('pre').nth(1).innerText()).toContain(`openQueue('${url}')`)
      await engine.createSchedule(NIGHTLY)
      await row(page, 'nightly').getByText('Every day at 03:00, Europe/Berlin').waitFor()
      expect(await row(page, 'nightly').getByTestId('next-run').innerText()).toMatch(/at 03:00\s+Europe\/Berlin · in /)
      expect(problems).toEqual([])
    })

    it('searches, filters by state and loads more, with everything in the URL', async () => {
      const { engine, url } = await startServer({}, { pageFolder: dashboard.folder })
      const many = Array.from({ length: 60 }, (_, n) => ({
        ...NIGHTLY,
        name: `customer-${String(n).padStart(2, '0')}`,
      }))
      await declare(engine, [...many, { ...NIGHTLY, name: 'other', type: 'sync' }])
      await engine.pauseSchedule({ name: 'customer-07', note: 'moved away' })
      const { page, problems } = await dashboard.open(`${url}/schedules`)
      await page.waitForFunction(() => document.querySelectorAll('[data-schedule]').length === 50)
      await page.getByRole('button', { name: 'Show more' }).click()
      await page.waitForFunction(() => document.querySelectorAll('[data-schedule]').length === 61)
      await page.getByRole('searchbox').fill('sync')
      await eventually(async () => expect(await namesOf(page)).toEqual(['other']))
      expect(parameter(page, 'q')).toBe('sync')
      await page.getByRole('searchbox').fill('')
      await page.getByLabel('State').selectOption('paused')
      await eventually(async () => expect(await namesOf(page)).toEqual(['customer-07']))
      await row(page, 'customer-07').getByText('moved away').waitFor()
      await page.reload()
      await eventually(async () => expect(await namesOf(page)).toEqual(['customer-07']))
      await page.getByLabel('State').selectOption('ended')
      await page.getByText('No schedule is ended.').waitFor()
      expect(problems).toEqual([])
    })

    it('keeps rows at their places while the pointer is over them, and moves by keys', async () => {
      const { engine, url } = await startServer({}, { pageFolder: dashboard.folder })
      await declare(
        engine,
        ['b', 'c', 'd'].map((name) => ({ ...NIGHTLY, name })),
      )
      const { page, problems } = await dashboard.open(`${url}/schedules`)
      await page.waitForSelector(LIVE)
      await row(page, 'c').hover()
      await engine.createSchedule({ ...NIGHTLY, name: 'a' })
      await engine.deleteSchedule({ name: 'b' })
      await row(page, 'b').getByText('no longer in this list').waitFor()
      expect(await namesOf(page)).toEqual(['b', 'c', 'd', 'a'])
      await page.mouse.move(0, 0)
      await eventually(async () => expect(await namesOf(page)).toEqual(['a', 'c', 'd']))
      for (const key of ['j', 'j', 'Enter']) await page.keyboard.press(key)
      await page.getByRole('heading', { level: 1, name: 'c', exact: true }).waitFor()
      expect(problems).toEqual([])
    })

    it('creates a schedule with a live preview that names changes of the clocks', async () => {
      const { engine, url } = await startServer({}, { pageFolder: dashboard.folder })
      const { page, problems } = await dashboard.open(`${url}/schedules`, { timezoneId: 'America/New_York' })
      await page.getByRole('link', { name: 'New schedule' }).click()
      const zone = page.getByLabel('Time zone')
      expect(await zone.inputValue()).toBe('America/New_York')
      const preview = page.getByRole('region', { name: 'Preview' })
      await page.getByLabel('Cron expression').fill('30 2 * *')
      await page.getByText('a cron expression has five, or six with seconds first').waitFor()
      await page.getByLabel('Cron expression').fill('30 2 * * *')
      await zone.fill('Europe/Berln')
      await page.getByText('did you mean Europe/Berlin?').waitFor()
      await zone.fill('Europe/Berlin')
      await preview.getByText('Every day at 02:30, Europe/Berlin').waitFor()
      expect(await preview.getByTestId('next-ticks').first().getByRole('listitem').count()).toBe(5)
      await preview.getByText('The clocks go forward').waitFor()
      await preview.getByText('02:30 occurs twice on this day').waitFor()

      await page.getByRole('button', { name: 'Create' }).click()
      await page.getByText('Enter a name.').waitFor()
      await page.getByText('Enter a job type.').waitFor()
      await page.getByLabel('Name').fill('nightly')
      await page.getByLabel('Type').fill('report')
      await page.getByLabel('Payload as JSON').fill('{"format":')
      await page.getByText('Line 1, column').waitFor()
      await page.getByLabel('Payload as JSON').fill('{"format":"pdf"}')
      await page.getByLabel('When an earlier job is unfinished').selectOption('queueOne')
      await page.getByLabel('Spread').fill('10m')
      await preview
        .getByText(/delayed by/)
        .first()
        .waitFor()
      await page.getByRole('button', { name: 'Create' }).click()
      await toast(page, 'Created nightly.').waitFor()
      await page.getByRole('heading', { level: 1, name: 'nightly' }).waitFor()
      const { effective, owner, next } = await engine.schedule({ name: 'nightly' })
      expect([owner, effective]).toMatchObject([
        null,
        { type: 'report', payload: { format: 'pdf' }, cron: '30 2 * * *', overlap: 'queueOne', spread: 600_000 },
      ])
      // The page computes the same ticks as the server.
      const shown = await page
        .getByTestId('next-ticks')
        .locator('time')
        .evaluateAll((all) => all.map((one) => one.getAttribute('datetime')))
      expect(shown).toEqual(next.map(({ at }) => new Date(at).toISOString()))

      await page.goto(`${url}/schedules?new=1`)
      await page.getByLabel('Name').fill('nightly')
      await page.getByLabel('Type').fill('report')
      await page.getByRole('button', { name: 'Create' }).click()
      await page.getByText('exists already').first().waitFor()
      expect(problems).toEqual([])
    })

    it('overrides a declared schedule, marks what differs, and resets it', async () => {
      const { engine, url } = await startServer({}, { pageFolder: dashboard.folder })
      await declare(engine, [{ ...NIGHTLY, maxAttempts: 3 }])
      const { page, problems } = await dashboard.open(`${url}/schedules?schedule=nightly`)
      await page.getByText('declared by billing').waitFor()
      await page.getByRole('link', { name: 'Edit' }).click()
      await page.getByText('Interval', { exact: true }).click()
      await page.getByLabel('Every').fill('2h')
      await page.getByText('overrides the declared 0 3 * * *').waitFor()
      await page.getByLabel('Max attempts').fill('')
      // Another user changes something else meanwhile.
      await engine.updateSchedule({ name: 'nightly', set: { priority: 7 } })
      await page.getByRole('button', { name: 'Save' }).click()
      await toast(page, 'Saved nightly.').waitFor()
      expect((await engine.schedule({ name: 'nightly' })).override).toEqual({
        ...{ every: 2 * HOUR, maxAttempts: null, priority: 7 },
      })
      const settings = page.getByRole('region', { name: 'Settings' })
      await settings.getByText('declared: 0 3 * * *').waitFor()
      await settings.getByRole('button', { name: 'Reset Interval' }).click()
      await toast(page, 'Reset interval of nightly to the declared value.').waitFor()
      await settings.getByRole('button', { name: 'Reset Max attempts' }).click()
      await settings.getByRole('button', { name: 'Reset Priority' }).click()
      await eventually(async () => expect((await engine.schedule({ name: 'nightly' })).override).toEqual({}))
      await page.getByText('Every day at 03:00, Europe/Berlin').waitFor()
      expect(problems).toEqual([])
    })

    it('pauses with a note, runs by hand meanwhile, and resumes', async () => {
      const { engine, url } = await startServer({}, { pageFolder: dashboard.folder })
      await engine.createSchedule(NIGHTLY)
      const { page, problems } = await dashboard.open(`${url}/schedules`)
      await page.getByRole('button', { name: 'Pause nightly' }).click()
      await page.getByRole('dialog').getByLabel('Note').fill('until the move is done')
      await page.keyboard.press('Enter')
      await toast(page, 'Paused nightly.').waitFor()
      await row(page, 'nightly').getByText('paused', { exact: true }).waitFor()
      await row(page, 'nightly').getByRole('link', { name: 'nightly' }).click()
      await page.getByTestId('explain').filter({ hasText: 'until the move is done' }).waitFor()
      await page.getByText('None while it is paused.').waitFor()

      await page.getByRole('button', { name: 'Run now: nightly' }).click()
      await toast(page, 'Enqueued a job of nightly.').waitFor()
      const { id, version } = await take(engine, { types: ['report'] })
      await page.locator('[data-tick][data-outcome=enqueued]').getByText('Run by hand').waitFor()
      await page.getByRole('button', { name: 'Run now: nightly' }).click()
      await toast(page, 'Skipped: a job of nightly is unfinished.').waitFor()
      await page.locator('[data-tick][data-outcome=skipped]').waitFor()
      await engine.complete({ id, version, result: null })
      await page.getByRole('region', { name: 'Settings' }).getByText('ago').first().waitFor()
      await page.locator('[data-outcome=enqueued]').getByRole('link').click()
      await page.waitForURL(`${url}/jobs/${id}`)
      await page.getByRole('region', { name: 'Details' }).locator('a[href="/schedules?schedule=nightly"]').click()
      await page.getByRole('button', { name: 'Resume nightly' }).click()
      await toast(page, 'Resumed nightly.').waitFor()
      await eventually(async () => expect((await engine.schedule({ name: 'nightly' })).state).toBe('active'))
      await page.goto(`${url}/schedules`)
      await row(page, 'nightly').getByTestId('last-result').filter({ hasText: 'completed' }).waitFor()
      expect(problems).toEqual([])
    })

    it('backfills a range with its number of ticks, progress and undo', async () => {
      const { engine, url } = await startServer({}, { pageFolder: dashboard.folder })
      await engine.createSchedule({ name: 'hourly', type: 'sync', payload: {}, every: '1h' })
      const { page, problems } = await dashboard.open(`${url}/schedules?schedule=hourly`, { timezoneId: 'UTC' })
      await page.getByRole('button', { name: 'Backfill' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByTestId('backfill-count').filter({ hasText: '24 ticks; the first ' }).waitFor()
      const local = (at: number) => new Date(at).toISOString().slice(0, 16)
      await dialog.getByLabel('To').fill(local(Date.now() + DAY))
      await dialog.getByText('It must not be in the future').waitFor()
      const end = Math.floor(Date.now() / HOUR) * HOUR
      await dialog.getByLabel('From').fill(local(end - 2 * HOUR))
      await dialog.getByLabel('To').fill(local(end))
      await dialog.getByTestId('backfill-count').filter({ hasText: '3 ticks; the first ' }).waitFor()
      await dialog.getByRole('button', { name: 'Backfill' }).click()
      await toast(page, '3 jobs enqueued').waitFor()
      await page.waitForFunction(() => document.querySelectorAll('[data-tick]').length === 3)
      expect((await engine.list({ type: 'sync' })).jobs.length).toBe(3)
      await toast(page, '3 jobs enqueued').getByRole('button', { name: 'Undo' }).click()
      await toast(page, 'Undone: 3 jobs deleted').waitFor()
      expect((await engine.list({ type: 'sync' })).jobs).toEqual([])
      expect(problems).toEqual([])
    })

    it('shows the next 24 hours of all schedules', async () => {
      const { engine, url } = await startServer({}, { pageFolder: dashboard.folder })
      await declare(engine, [NIGHTLY, { name: 'often', type: 'ping', payload: {}, every: '1m' }])
      await engine.createSchedule({ ...NIGHTLY, name: 'rare', cron: '0 0 29 2 *' })
      const { page, problems } = await dashboard.open(`${url}/schedules`)
      await page.getByText('Next 24 hours', { exact: true }).click()
      const lane = (name: string) => page.locator(`[data-lane=${name}]`)
      await lane('nightly').waitFor()
      expect(parameter(page, 'view')).toBe('day')
      expect(await lane('nightly').locator('[data-mark]').count()).toBe(1)
      expect(await lane('nightly').getByRole('img').getAttribute('aria-label')).toMatch(
        /first (today|tomorrow) at 03:00/,
      )
      expect(await lane('often').locator('[data-mark]').count()).toBe(1)
      await lane('rare').getByText('not in the next 24 hours').waitFor()
      await page.getByRole('img', { name: 'Most schedules in 15 minutes: 2' }).waitFor()
      expect(problems).toEqual([])
    })

    it('deletes a schedule, and names one that does not exist', async () => {
      const { engine, url } = await startServer({}, { pageFolder: dashboard.folder })
      await engine.createSchedule(NIGHTLY)
      const { page, problems } = await dashboard.open(`${url}/schedules?schedule=nightly`)
      await page.getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
      await toast(page, 'Deleted nightly. Its jobs remain.').waitFor()
      await page.waitForURL(`${url}/schedules`)
      expect((await engine.schedules()).schedules).toEqual([])
      await page.goto(`${url}/schedules?schedule=nightly`)
      await page.getByRole('heading', { name: 'Schedule not found' }).waitFor()
      expect(problems).toEqual([])
    })
  },
  [sqlite],
)
