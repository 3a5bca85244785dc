/** Settings page in a real browser: queue settings, tokens, audit, database, export, redaction and theme. */
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect, it, vi } from 'vitest'
import { add } from '../support/engine.ts'
import { sqlite } from '../support/places.ts'
import { describeServer } from '../support/server.ts'
import { shareDashboard } from './support/browser.ts'

const LIVE = '[data-testid=connection-state][data-connection=live]'

vi.setConfig({ testTimeout: 60_000 })

const dashboard = shareDashboard()
const toast = (page: Page, text: string) => page.getByTestId('toast').filter({ hasText: text }).waitFor()
const tab = (page: Page, name: string) => page.getByRole('tab', { name }).click()

async function exported(page: Page, format: string): Promise<string> {
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: `Export ${format}` }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toMatch(new RegExp(`^jobs-.*\\.${format.toLowerCase()}$`))
  return readFile(await download.path(), 'utf8')
}

describeServer(
  'Settings page',
  (startServer) => {
    it('pauses the queue, changes its settings and webhooks, and lists the changes in the audit trail', async () => {
      const server = await startServer({}, { pageFolder: dashboard.folder })
      const { engine } = server
      for (let n = 0; n < 60; n++) await engine.audit({ action: `earlier-${n}` })
      const { page, problems } = await dashboard.open(`${server.url}/settings`)
      await page.waitForSelector(LIVE)
      await page.getByRole('button', { name: 'Pause the queue' }).click()
      await toast(page, 'Queue paused.')
      expect(await engine.settings()).toEqual({ paused: true })
      await page.getByRole('button', { name: 'Resume the queue' }).click()
      await page.getByText('The queue is running').waitFor()

      await page.getByLabel('Max attempts', { exact: true }).fill('0')
      await page.getByLabel('Retention', { exact: true }).fill('14d')
      await page.getByLabel('max_retries').fill('2')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('alert').waitFor()
      expect(await page.getByLabel('Max attempts', { exact: true }).getAttribute('aria-invalid')).toBe('true')
      expect(await page.getByRole('alert').textContent()).toBe('must be at least 1')
      await page.getByLabel('Max attempts', { exact: true }).fill('9')
      // Unsaved edits survive navigation, show a conflicting change, and prompt before unload.
      await tab(page, 'Theme')
      await page.getByRole('link', { name: 'Overview' }).click()
      await engine.updateSettings({ set: { maxAttempts: 20 } })
      await page.getByRole('link', { name: 'Settings' }).click()
      await page.getByText('Someone else changed this to 20.').waitFor()
      expect(await page.getByLabel('Max attempts', { exact: true }).inputValue()).toBe('9')
      const prompted = page.waitForEvent('dialog')
      const leaving = page.evaluate(() => location.reload())
      const dialog = await prompted
      expect(dialog.type()).toBe('beforeunload')
      await dialog.dismiss()
      await leaving
      await page.getByRole('button', { name: 'Save' }).click()
      await toast(page, 'Settings saved.')
      expect(await engine.settings()).toEqual({
        paused: false,
        maxAttempts: 9,
        retentionMs: 14 * 86_400_000,
        max_retries: 2,
      })
      // A change by another client appears without a reload.
      await engine.updateSettings({ set: { rate: 25 } })
      await page.waitForFunction(() => [...document.querySelectorAll('input')].some((input) => input.value === '25'))

      await tab(page, 'Webhooks')
      await page.getByLabel('URL for all types').fill('ftp://example.com')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('must be an http or https address without credentials').waitFor()
      await page.getByLabel('URL for all types').fill('http://127.0.0.1:9/hook')
      await page.getByLabel('Secret', { exact: true }).fill('sixteen-characters-or-more')
      await page.getByRole('button', { name: 'Save' }).click()
      await toast(page, 'Webhooks saved.')
      expect(await engine.settings()).toMatchObject({ webhookUrl: 'http://127.0.0.1:9/hook' })
      expect(await page.content()).not.toContain('sixteen-characters-or-more')

      await tab(page, 'Audit')
      expect(new URL(page.url()).searchParams.get('tab')).toBe('audit')
      const trail = page.getByRole('list', { name: 'Audit trail' }).getByRole('listitem')
      await page.getByText('earlier-59', { exact: true }).waitFor()
      expect(await trail.count()).toBe(50)
      await page.getByRole('button', { name: 'Load more' }).click()
      await page.getByText('earlier-0', { exact: true }).waitFor()
      // New entries appear live, as text with a link to the job.
      const id = await add(engine)
      await engine.cancel({ id, actor: 'ada' })
      await trail.first().getByText('cancelled a job').waitFor()
      expect(await trail.first().getByRole('link').getAttribute('href')).toBe(`/jobs/${id}`)
      expect(await trail.first().getByTitle('cancel', { exact: true }).count()).toBe(1)
      expect(await trail.filter({ hasText: 'changed settings' }).first().textContent()).toContain('webhookUrl: http')
      expect(await trail.filter({ hasText: 'resumed the queue' }).count()).toBe(1)
      expect(await trail.count()).toBe((await engine.auditTrail({ limit: 500 })).length)
      await page.getByLabel('Search the audit trail').fill('ADA')
      await page.getByText(/^1 of \d+ entries$/).waitFor()
      expect(await trail.count()).toBe(1)

      await tab(page, 'Database')
      await page.getByText(server.place.location).waitFor()
      await page.getByText('full: acknowledged after the commit is on disk').waitFor()
      await tab(page, 'Theme')
      await page.getByLabel('Dark').check()
      expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark')
      expect(problems).toEqual([])
    })

    it('creates the first token without locking this browser out, and revokes it', async () => {
      const server = await startServer({ COMMANDS_WITHOUT_TOKEN: 'allow' }, { pageFolder: dashboard.folder })
      const { page, problems } = await dashboard.open(`${server.url}/settings?tab=tokens`)
      await page.waitForSelector(LIVE)
      await tab(page, 'General')
      await page.getByLabel('Retention', { exact: true }).fill('3d')
      await tab(page, 'Tokens')
      await page.getByRole('button', { name: 'New token' }).click()
      await page.getByText('This is the first token').waitFor()
      await page.getByLabel('Name').fill('ops')
      await page.getByLabel('Expires in').fill('30')
      await page.getByRole('button', { name: 'Create token' }).click()
      await page.getByText('It must look like 30s').waitFor()
      await page.getByLabel('Expires in').fill('30d')
      await page.getByRole('button', { name: 'Create token' }).click()
      await page.getByText('Copy the token now').waitFor()
      const secret = (await page.getByRole('dialog').locator('pre').textContent()) ?? ''
      const answer = await fetch(`${server.url}/trpc/facts`, { headers: { authorization: `Bearer ${secret}` } })
      expect([answer.status, (await fetch(`${server.url}/trpc/facts`)).status]).toEqual([200, 401])
      await page.getByRole('button', { name: 'Done, I copied it' }).click()
      await page.locator('[data-token=ops]').getByText('admin').waitFor()
      expect(await page.content()).not.toContain(secret)
      // A duplicate name shows the server's error.
      await page.getByRole('button', { name: 'New token' }).click()
      await page.getByLabel('Name').fill('ops')
      await page.getByLabel('read').check()
      await page.getByRole('button', { name: 'Create token' }).click()
      await page.getByText('There is a token ops already').waitFor()
      await page.getByRole('button', { name: 'Cancel' }).click()
      await page.getByRole('button', { name: 'Revoke ops' }).click()
      await page.getByRole('button', { name: 'Revoke token' }).click()
      await page.getByText('No tokens.').waitFor()
      expect(await server.engine.tokens()).toEqual([])
      await tab(page, 'General')
      expect(await page.getByLabel('Retention', { exact: true }).inputValue()).toBe('3d')
      expect(problems).toEqual([])
    })

    it('exports matching jobs as CSV and NDJSON, with masked values unless disabled', async () => {
      const server = await startServer({}, { pageFolder: dashboard.folder })
      const payload = { card: { number: '4111' }, note: '=1+1, "quoted"' }
      const ids = [await add(server.engine, { payload }), await add(server.engine, { payload })]
      await add(server.engine, { type: 'other' })
      const { page, problems } = await dashboard.open(`${server.url}/settings?tab=redaction`)
      await page.waitForSelector(LIVE)
      await page.getByLabel('New rule').fill('card.number')
      await page.getByRole('button', { name: 'Add' }).click()
      await page.getByText('A rule must start with payload or result').waitFor()
      await page.getByLabel('New rule').fill('payload.card.*')
      await page.getByRole('button', { name: 'Add' }).click()
      await page.getByRole('button', { name: 'Remove rule payload.card.*' }).waitFor()
      const example = page.getByTestId('redacted-example')
      expect(await example.textContent()).toContain('"number": "••••"')

      // The link from the table carries the filter.
      await page.goto(`${server.url}/jobs?view=table&q=${encodeURIComponent('type:mail status:pending')}`)
      await page.getByRole('link', { name: 'Export' }).click()
      const field = page.getByRole('combobox', { name: 'Filter jobs' })
      expect(await field.inputValue()).toBe('type:mail status:pending')
      const csv = await exported(page, 'CSV')
      expect(
        csv
          .trim()
          .split('\r\n')
          .map((line) => line.split(',', 3).join()),
      ).toEqual(['id,type,status', ...ids.toReversed().map((id) => `${id},mail,pending`)])
      await page.getByText('Your browser is saving the CSV file.').waitFor()
      const lines = (await exported(page, 'NDJSON'))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      expect(lines.map(({ id, payload: shown }) => [id, shown])).toEqual(
        ids.toReversed().map((id) => [id, { ...payload, card: { number: '••••' } }]),
      )
      await page.getByLabel('redaction rule').uncheck()
      await field.fill('payload.card.number:"4111"')
      await page.keyboard.press('Enter')
      await page.waitForURL(/q=payload/)
      expect(await exported(page, 'NDJSON')).toContain('"number":"4111"')
      await field.fill('nonsense:1')
      await page.keyboard.press('Enter')
      await page.getByRole('alert').filter({ hasText: 'Unknown key “nonsense:”' }).waitFor()
      expect(await page.getByRole('button', { name: 'Export CSV' }).isDisabled()).toBe(true)
      expect(problems).toEqual([])
    })
  },
  [sqlite],
)
