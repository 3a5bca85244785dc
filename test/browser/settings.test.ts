/** The settings in a real browser: the queue's, access, the trail, the database, export, and what this browser keeps. */
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
const said = (page: Page, words: string) => page.getByTestId('toast').filter({ hasText: words }).waitFor()
const tab = (page: Page, name: string) => page.getByRole('tab', { name }).click()

async function exported(page: Page, format: string): Promise<string> {
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: `Export ${format}` }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toMatch(new RegExp(`^jobs-.*\\.${format.toLowerCase()}$`))
  return readFile(await download.path(), 'utf8')
}

describeServer(
  'the settings',
  (startServer) => {
    it('pauses the queue, changes what holds for all of it, and tells of it in the trail', async () => {
      const server = await startServer({}, { pageFolder: dashboard.folder })
      const { engine } = server
      for (let n = 0; n < 60; n++) await engine.audit({ action: `earlier-${n}` })
      const { page, problems } = await dashboard.open(`${server.url}/settings`)
      await page.waitForSelector(LIVE)
      await page.getByRole('button', { name: 'Pause the queue' }).click()
      await said(page, 'Paused the queue.')
      expect(await engine.settings()).toEqual({ paused: true })
      await page.getByRole('button', { name: 'Resume the queue' }).click()
      await page.getByText('The queue is running').waitFor()

      await page.getByLabel('Attempts', { exact: true }).fill('0')
      await page.getByLabel('Retention', { exact: true }).fill('14d')
      await page.getByLabel('max_retries').fill('2')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('alert').waitFor()
      expect(await page.getByLabel('Attempts', { exact: true }).getAttribute('aria-invalid')).toBe('true')
      expect(await page.getByRole('alert').textContent()).toBe('must be at least 1')
      await page.getByLabel('Attempts', { exact: true }).fill('9')
      // What is not saved is still there after a look elsewhere, with what somebody else made of it; and the browser asks.
      await tab(page, 'Theme')
      await page.getByRole('link', { name: 'Overview' }).click()
      await engine.updateSettings({ set: { maxAttempts: 20 } })
      await page.getByRole('link', { name: 'Settings' }).click()
      await page.getByText('Changed meanwhile by somebody else: now 20.').waitFor()
      expect(await page.getByLabel('Attempts', { exact: true }).inputValue()).toBe('9')
      const asked = page.waitForEvent('dialog')
      const leaving = page.evaluate(() => location.reload())
      const dialog = await asked
      expect(dialog.type()).toBe('beforeunload')
      await dialog.dismiss()
      await leaving
      await page.getByRole('button', { name: 'Save' }).click()
      await said(page, 'Saved')
      expect(await engine.settings()).toEqual({
        paused: false,
        maxAttempts: 9,
        retentionMs: 14 * 86_400_000,
        max_retries: 2,
      })
      // Somebody else's change is on the page without a reload.
      await engine.updateSettings({ set: { rate: 25 } })
      await page.waitForFunction(() => [...document.querySelectorAll('input')].some((input) => input.value === '25'))

      await tab(page, 'Webhooks')
      await page.getByLabel('Address for every type').fill('ftp://example.com')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('must be an http or https address without credentials').waitFor()
      await page.getByLabel('Address for every type').fill('http://127.0.0.1:9/hook')
      await page.getByLabel('Secret', { exact: true }).fill('sixteen-characters-or-more')
      await page.getByRole('button', { name: 'Save' }).click()
      await said(page, 'Saved; the next failure goes there.')
      expect(await engine.settings()).toMatchObject({ webhookUrl: 'http://127.0.0.1:9/hook' })
      expect(await page.content()).not.toContain('sixteen-characters-or-more')

      await tab(page, 'Audit')
      expect(new URL(page.url()).searchParams.get('tab')).toBe('audit')
      const trail = page.getByRole('list', { name: 'Audit trail' }).getByRole('listitem')
      await page.getByText('earlier-59', { exact: true }).waitFor()
      expect(await trail.count()).toBe(50)
      await page.getByRole('button', { name: 'Load more' }).click()
      await page.getByText('earlier-0', { exact: true }).waitFor()
      // What is done meanwhile comes by itself, in words, with a way to its job.
      const id = await add(engine)
      await engine.cancel({ id, actor: 'ada' })
      await trail.first().getByText('cancelled a job').waitFor()
      expect(await trail.first().getByRole('link').getAttribute('href')).toBe(`/jobs/${id}`)
      expect(await trail.first().getByTitle('cancel', { exact: true }).count()).toBe(1)
      expect(await trail.filter({ hasText: 'changed settings' }).first().textContent()).toContain('webhookUrl: http')
      expect(await trail.filter({ hasText: 'resumed the queue' }).count()).toBe(1)
      expect(await trail.count()).toBe((await engine.auditTrail({ limit: 500 })).length)
      await page.getByLabel('Find in the trail').fill('ADA')
      await page.getByText(/^1 of \d+ entries$/).waitFor()
      expect(await trail.count()).toBe(1)

      await tab(page, 'Database')
      await page.getByText(server.place.location).waitFor()
      await page.getByText('full: an answer means it is on disk').waitFor()
      await tab(page, 'Theme')
      await page.getByLabel('Dark').check()
      expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark')
      expect(problems).toEqual([])
    })

    it('makes the first token without locking this browser out, and revokes it', async () => {
      const server = await startServer({ COMMANDS_WITHOUT_TOKEN: 'allow' }, { pageFolder: dashboard.folder })
      const { page, problems } = await dashboard.open(`${server.url}/settings?tab=tokens`)
      await page.waitForSelector(LIVE)
      await tab(page, 'General')
      await page.getByLabel('Retention', { exact: true }).fill('3d')
      await tab(page, 'Tokens')
      await page.getByRole('button', { name: 'New token' }).click()
      await page.getByText('This is the first one').waitFor()
      await page.getByLabel('Name').fill('ops')
      await page.getByLabel('Expires in').fill('30')
      await page.getByRole('button', { name: 'Make the token' }).click()
      await page.getByText('Say it with a unit').waitFor()
      await page.getByLabel('Expires in').fill('30d')
      await page.getByRole('button', { name: 'Make the token' }).click()
      await page.getByText('Copy it now').waitFor()
      const secret = (await page.getByRole('dialog').locator('pre').textContent()) ?? ''
      const answer = await fetch(`${server.url}/trpc/facts`, { headers: { authorization: `Bearer ${secret}` } })
      expect([answer.status, (await fetch(`${server.url}/trpc/facts`)).status]).toEqual([200, 401])
      await page.getByRole('button', { name: 'I have it' }).click()
      await page.locator('[data-token=ops]').getByText('admin').waitFor()
      expect(await page.content()).not.toContain(secret)
      // A name twice is refused, in the server's words.
      await page.getByRole('button', { name: 'New token' }).click()
      await page.getByLabel('Name').fill('ops')
      await page.getByLabel('read').check()
      await page.getByRole('button', { name: 'Make the token' }).click()
      await page.getByText('There is a token ops already').waitFor()
      await page.getByRole('button', { name: 'Cancel' }).click()
      await page.getByRole('button', { name: 'Revoke ops' }).click()
      await page.getByRole('button', { name: 'Revoke it' }).click()
      await page.getByText('None yet.').waitFor()
      expect(await server.engine.tokens()).toEqual([])
      await tab(page, 'General')
      expect(await page.getByLabel('Retention', { exact: true }).inputValue()).toBe('3d')
      expect(problems).toEqual([])
    })

    it('exports what matches as CSV and NDJSON, without what this browser does not show', async () => {
      const server = await startServer({}, { pageFolder: dashboard.folder })
      const payload = { card: { number: '4111' }, note: '=1+1, "quoted"' }
      const ids = [await add(server.engine, { payload }), await add(server.engine, { payload })]
      await add(server.engine, { type: 'other' })
      const { page, problems } = await dashboard.open(`${server.url}/settings?tab=redaction`)
      await page.waitForSelector(LIVE)
      await page.getByLabel('New rule').fill('card.number')
      await page.getByRole('button', { name: 'Add' }).click()
      await page.getByText('A rule begins with payload or result').waitFor()
      await page.getByLabel('New rule').fill('payload.card.*')
      await page.getByRole('button', { name: 'Add' }).click()
      await page.getByRole('button', { name: 'Remove the rule payload.card.*' }).waitFor()
      const example = page.getByTestId('redacted-example')
      expect(await example.textContent()).toContain('"number": "••••"')

      // From the table the filter goes along.
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
      await page.getByLabel('Hide in the file').uncheck()
      await field.fill('payload.card.number:"4111"')
      await page.keyboard.press('Enter')
      await page.waitForURL(/q=payload/)
      expect(await exported(page, 'NDJSON')).toContain('"number":"4111"')
      await field.fill('nonsense:1')
      await page.keyboard.press('Enter')
      await page.getByRole('alert').filter({ hasText: 'There is no “nonsense:”' }).waitFor()
      expect(await page.getByRole('button', { name: 'Export CSV' }).isDisabled()).toBe(true)
      expect(problems).toEqual([])
    })
  },
  [sqlite],
)
