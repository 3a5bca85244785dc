/** Types page in a real browser: live numbers, pause and overrides. */
import { expect, it, vi } from 'vitest'
import { add, addMany, held } from '../support/engine.ts'
import { sqlite } from '../support/places.ts'
import { describeServer } from '../support/server.ts'
import { shareDashboard } from './support/browser.ts'

const LIVE = '[data-testid=connection-state][data-connection=live]'

vi.setConfig({ testTimeout: 60_000 })

const dashboard = shareDashboard()

describeServer(
  'Types page',
  (startServer) => {
    it('shows types live, pauses and resumes them, and edits their overrides', async () => {
      const server = await startServer({}, { pageFolder: dashboard.folder })
      const { engine } = server
      await engine.declareTypes({ types: [{ name: 'mail', settings: { rate: 10, maxAttempts: 5 } }] })
      const job = await held(engine)
      await engine.fail({ id: job.id, version: job.version, error: 'no', retry: false })
      const { page, problems } = await dashboard.open(`${server.url}/types`)
      const requests: string[] = []
      page.on('request', (request) => requests.push(request.url()))
      await page.waitForSelector(LIVE)
      const mail = page.locator('[data-type=mail]')
      await mail.getByText('10/s').waitFor()
      await mail.getByText('100 %').waitFor()
      await addMany(engine, 3)
      await mail.getByText(/^Backlog of mail in the last hour: at most 3, now 3/).waitFor({ state: 'attached' })
      // The first job of an undeclared type creates it.
      await add(engine, { type: 'other' })
      const other = page.locator('[data-type=other]')
      await other.waitFor()

      // One read returns the age of the oldest waiting job of all types.
      await server.place.sql(
        `UPDATE millrace_jobs SET run_at = run_at - 7200000 WHERE type = 'mail' AND status = 'pending'`,
      )
      await add(engine, { type: 'other' })
      await mail.getByText(/^2 h( 0 min)?$/).waitFor()
      await other.getByText(/^\d+(\.\d)? s$/).waitFor()
      await add(engine, { type: 'later', delayMs: 3_600_000 })
      await page.locator('[data-type=later]').getByText('none', { exact: true }).waitFor()
      const perTypeReads = requests.filter((url) => decodeURIComponent(url).includes('"type":"mail"'))
      expect(perTypeReads).toEqual([])

      await page.getByRole('button', { name: 'Pause mail' }).click()
      await page.getByTestId('toast').filter({ hasText: 'Paused mail' }).waitFor()
      expect((await engine.type({ name: 'mail' })).effective.paused).toBe(true)
      await engine.resumeType({ name: 'mail' })
      await page.getByRole('button', { name: 'Pause mail' }).waitFor()

      await page.getByRole('button', { name: 'Edit settings of mail' }).click()
      const dialog = page.getByRole('dialog')
      const rate = dialog.getByLabel('Rate (per second)', { exact: true })
      expect(await rate.getAttribute('placeholder')).toBe('declared: 10 per second')
      await rate.fill('many')
      await dialog.getByLabel('Timeout', { exact: true }).fill('90')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.getByText('It must be a number.').waitFor()
      await dialog.getByText('It must look like 30s').waitFor()
      await rate.fill('0')
      await dialog.getByLabel('Timeout', { exact: true }).fill('1m 30s')
      await dialog.getByLabel('Max attempts', { exact: true }).fill('7')
      await dialog.getByRole('button', { name: 'No limit: Max concurrency' }).click()
      await dialog.getByLabel('Backoff', { exact: true }).selectOption('fixed')
      await dialog.getByLabel('Base', { exact: true }).fill('5s')
      await dialog.getByRole('button', { name: 'Save' }).click()
      // The server's error is shown at its field.
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

      await page.getByRole('button', { name: 'Edit settings of mail' }).click()
      await dialog.getByText('declared: 5').waitFor()
      await dialog.getByLabel('Max attempts', { exact: true }).fill('0')
      await page.keyboard.press('Escape')
      await dialog.getByText('You have unsaved changes.').waitFor()
      await page.keyboard.press('Enter')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.getByText('must be at least 1', { exact: true }).waitFor()
      await engine.updateType({ name: 'mail', set: { maxAttempts: 20, rate: 3 } })
      await dialog.getByText('Someone else changed this to 20.').waitFor()
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

    it('rolls back a rejected pause and shows the server error', async () => {
      const server = await startServer({}, { pageFolder: dashboard.folder })
      await add(server.engine)
      const { token } = await server.engine.createToken({ name: 'operator', scopes: ['read', 'admin'] })
      const { page } = await dashboard.open(`${server.url}/types`)
      await page.getByLabel('Token').fill(token)
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Pause mail' }).waitFor()
      // The page still offers the action; creating a token makes the server reload all tokens.
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
