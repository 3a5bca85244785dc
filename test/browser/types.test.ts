/** The page of types in a real browser: numbers that move, pausing, and overrides with what the code declares beside them. */
import { expect, it, vi } from 'vitest'
import { add, addMany, held } from '../support/engine.ts'
import { sqlite } from '../support/places.ts'
import { describeServer } from '../support/server.ts'
import { shareDashboard } from './support/browser.ts'

const LIVE = '[data-testid=connection-state][data-connection=live]'

vi.setConfig({ testTimeout: 60_000 })

const dashboard = shareDashboard()

describeServer(
  'the page of types',
  (startServer) => {
    it('shows types as they move, pauses and resumes them, and edits their overrides', async () => {
      const server = await startServer({}, { pageFolder: dashboard.folder })
      const { engine } = server
      await engine.declareTypes({ types: [{ name: 'mail', settings: { rate: 10, maxAttempts: 5 } }] })
      const job = await held(engine)
      await engine.fail({ id: job.id, version: job.version, error: 'no', retry: false })
      const { page, problems } = await dashboard.open(`${server.url}/types`)
      const asked: string[] = []
      page.on('request', (request) => asked.push(request.url()))
      await page.waitForSelector(LIVE)
      const mail = page.locator('[data-type=mail]')
      await mail.getByText('10/s').waitFor()
      await mail.getByText('100 %').waitFor()
      await addMany(engine, 3)
      await mail.getByText(/^Backlog of mail over the last hour: at most 3, now 3/).waitFor({ state: 'attached' })
      // A type that nobody declared is known with its first job.
      await add(engine, { type: 'other' })
      const other = page.locator('[data-type=other]')
      await other.waitFor()

      // The age of the oldest that is ready, type by type, from one read for all of them.
      await server.place.sql(
        `UPDATE millrace_jobs SET run_at = run_at - 7200000 WHERE type = 'mail' AND status = 'pending'`,
      )
      await add(engine, { type: 'other' })
      await mail.getByText(/^2 h( 0 min)?$/).waitFor()
      await other.getByText(/^\d+(\.\d)? s$/).waitFor()
      await add(engine, { type: 'later', delayMs: 3_600_000 })
      await page.locator('[data-type=later]').getByText('none', { exact: true }).waitFor()
      const oneByOne = asked.filter((url) => decodeURIComponent(url).includes('"type":"mail"'))
      expect(oneByOne).toEqual([])

      await page.getByRole('button', { name: 'Pause mail' }).click()
      await page.getByTestId('toast').filter({ hasText: 'Paused mail' }).waitFor()
      expect((await engine.type({ name: 'mail' })).effective.paused).toBe(true)
      await engine.resumeType({ name: 'mail' })
      await page.getByRole('button', { name: 'Pause mail' }).waitFor()

      await page.getByRole('button', { name: 'Edit the settings of mail' }).click()
      const dialog = page.getByRole('dialog')
      const rate = dialog.getByLabel('Rate (per second)', { exact: true })
      expect(await rate.getAttribute('placeholder')).toBe('declared: 10 per second')
      await rate.fill('many')
      await dialog.getByLabel('Timeout', { exact: true }).fill('90')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.getByText('This is not a number.').waitFor()
      await dialog.getByText('Say it with a unit').waitFor()
      await rate.fill('0')
      await dialog.getByLabel('Timeout', { exact: true }).fill('1m 30s')
      await dialog.getByLabel('Max attempts', { exact: true }).fill('7')
      await dialog.getByRole('button', { name: 'No limit: Max concurrency' }).click()
      await dialog.getByLabel('Backoff', { exact: true }).selectOption('fixed')
      await dialog.getByLabel('Base', { exact: true }).fill('5s')
      await dialog.getByRole('button', { name: 'Save' }).click()
      // The server's own words, at the field they are about.
      await dialog.getByRole('alert').filter({ hasText: '0.001' }).waitFor()
      expect(await rate.getAttribute('aria-invalid')).toBe('true')
      await dialog.getByRole('button', { name: 'Clear: Rate' }).click()
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.waitFor({ state: 'detached' })
      expect((await engine.type({ name: 'mail' })).override).toEqual({
        paused: false,
        timeoutMs: 90_000,
        maxAttempts: 7,
        maxConcurrency: null,
        backoff: { kind: 'fixed', baseMs: 5_000, jitter: 0 },
      })
      await mail.getByText('7 attempts').waitFor()

      await page.getByRole('button', { name: 'Edit the settings of mail' }).click()
      await dialog.getByText('declared: 5').waitFor()
      await dialog.getByLabel('Max attempts', { exact: true }).fill('0')
      await page.keyboard.press('Escape')
      await dialog.getByText('What you changed is not saved yet.').waitFor()
      await page.keyboard.press('Enter')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.getByText('must be at least 1', { exact: true }).waitFor()
      await engine.updateType({ name: 'mail', set: { maxAttempts: 20, rate: 3 } })
      await dialog.getByText('Changed meanwhile by somebody else: now 20.').waitFor()
      expect(await rate.inputValue()).toBe('3')
      await dialog.getByRole('button', { name: 'Clear: Rate' }).click()
      await dialog.getByRole('button', { name: 'Clear: Max attempts' }).click()
      await dialog.getByLabel('Backoff', { exact: true }).selectOption('')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await mail.getByText('5 attempts').waitFor()
      const { override } = await engine.type({ name: 'mail' })
      expect(Object.keys(override).sort()).toEqual(['maxConcurrency', 'paused', 'timeoutMs'])
      expect(problems).toEqual([])
    })

    it('takes back what the server refuses, and says why in its words', async () => {
      const server = await startServer({}, { pageFolder: dashboard.folder })
      await add(server.engine)
      const { token } = await server.engine.createToken({ name: 'operator', scopes: ['read', 'admin'] })
      const { page } = await dashboard.open(`${server.url}/types`)
      await page.getByLabel('Token').fill(token)
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Pause mail' }).waitFor()
      // The page still offers what its token may no longer do; another new one makes the server look at all of them.
      await server.place.sql(`UPDATE millrace_tokens SET scopes = '["read"]' WHERE name = 'operator'`)
      await server.engine.createToken({ name: 'another', scopes: ['read'] })
      await page.getByRole('button', { name: 'Pause mail' }).click()
      await page.getByText('types.pause needs a token with the scope admin.').waitFor()
      await page.getByRole('button', { name: 'Pause mail' }).waitFor()
      expect((await server.engine.type({ name: 'mail' })).effective.paused).toBe(false)
    })
  },
  [sqlite],
)
