/** Failures page in a real browser: groups, their jobs, retry and undo. */
import type { Page } from 'playwright-core'
import { expect, it, vi } from 'vitest'
import type { Engine } from '../../server/engine/engine.ts'
import { held, until } from '../support/engine.ts'
import { sqlite } from '../support/places.ts'
import { describeServer } from '../support/server.ts'
import { shareDashboard } from './support/browser.ts'

const LIVE = '[data-testid=connection-state][data-connection=live]'

vi.setConfig({ testTimeout: 60_000 })

const dashboard = shareDashboard()

async function failed(engine: Engine, type: string, error: string): Promise<string> {
  const { id, version } = await held(engine, { type })
  await engine.fail({ id, version, error, retry: false })
  return id
}

const group = (page: Page, text: string) => page.locator('[data-group]', { hasText: text })
const countFailed = async (engine: Engine) => (await engine.counts()).failed

describeServer(
  'Failures page',
  (startServer) => {
    it('groups failures, updates live, and links to the jobs of a group', async () => {
      const server = await startServer({}, { pageFolder: dashboard.folder })
      const { page, problems } = await dashboard.open(`${server.url}/failures`)
      await page.waitForSelector(LIVE)
      await page.waitForSelector('text=No failures in the last 7 days')
      expect(await page.locator('pre', { hasText: 'worker start' }).textContent()).toContain(`--url ${server.url} `)

      await failed(server.engine, 'mail', 'SMTP 550 mailbox 17 unavailable')
      await group(page, 'SMTP <n> mailbox <n> unavailable').waitFor()
      await failed(server.engine, 'mail', 'SMTP 550 mailbox 18 unavailable')
      await group(page, '2 in 24 h').waitFor()
      expect(await page.locator('[data-group]').count()).toBe(1)

      // New groups wait behind a button, so that no row moves under the pointer.
      const hostile = '<img src=x onerror="document.title=1"> is not a function'
      for (let n = 0; n < 3; n++) await failed(server.engine, 'script', hostile)
      await page.getByRole('button', { name: '1 new' }).click()
      await group(page, 'is not a function').waitFor()
      expect(await page.locator('[data-group]').first().getAttribute('data-group')).toBe('script')
      await group(page, 'is not a function').getByRole('button', { expanded: false }).click()
      expect(await page.locator('pre').textContent()).toBe(hostile)
      expect(await page.locator('main img').count()).toBe(0)
      expect(new URL(page.url()).searchParams.get('group')).toContain('script\n')

      await group(page, 'SMTP').getByRole('link', { name: 'Show jobs of this group' }).click()
      const { pathname, searchParams } = new URL(page.url())
      expect([pathname, searchParams.get('view')]).toEqual(['/jobs', 'table'])
      expect(searchParams.get('q')).toBe('type:mail status:failed,retrying group:"SMTP <n> mailbox <n> unavailable"')
      await page.getByText('2 shown, all that match').waitFor()
      await page.getByRole('combobox', { name: 'Filter jobs' }).fill('group:function')
      await page.getByRole('option', { name: 'is not a function' }).click()
      await page.getByText('3 shown, all that match').waitFor()
      expect(problems).toEqual([])
    })

    it('retries exactly one group, and undoes it', async () => {
      const server = await startServer({}, { pageFolder: dashboard.folder })
      const { engine } = server
      for (let n = 0; n < 3; n++) await failed(engine, 'mail', `SMTP 55${n} mailbox unavailable`)
      const similar = await failed(engine, 'mail', 'SMTP 553 mailbox unavailable for now')
      const other = await failed(engine, 'fax', 'SMTP 550 mailbox unavailable')
      const { page, problems } = await dashboard.open(`${server.url}/failures?type=mail`)
      await page.waitForSelector(LIVE)
      await group(page, '3 in 24 h').getByRole('button', { name: 'Retry group: mail' }).click()
      await page.getByRole('dialog').filter({ hasText: 'SMTP <n> mailbox unavailable' }).waitFor()
      await page.getByText('3 jobs match').waitFor()
      const searches: string[] = []
      page.on('request', (request) => void (/\/trpc\/list\b/.test(request.url()) && searches.push(request.url())))
      await page.getByRole('button', { name: 'Retry 3 jobs' }).click()
      await page.getByTestId('toast').filter({ hasText: '3 jobs retried' }).waitFor()
      // The dialog has already counted the jobs.
      expect(searches).toEqual([])
      for (const id of [similar, other]) expect((await engine.get({ id })).status).toBe('failed')
      expect(await countFailed(engine)).toBe(2)
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByTestId('toast').filter({ hasText: 'Undone: 3 jobs restored' }).waitFor()
      await until(async () => (await countFailed(engine)) === 5)
      expect(problems).toEqual([])
    })

    it('disables retry when no job of the group is failed, and reports when none was retried', async () => {
      const server = await startServer({}, { pageFolder: dashboard.folder })
      const { engine } = server
      const fax = await failed(engine, 'fax', 'line busy')
      const [first, second] = [await failed(engine, 'mail', 'no disk'), await failed(engine, 'mail', 'no such user')]
      for (const id of [fax, first]) await engine.retry({ id })
      const { page } = await dashboard.open(`${server.url}/failures`)
      await page.locator('[data-group=fax] [title="No failed fax jobs"][aria-disabled=true]').waitFor()

      await group(page, 'no disk').getByRole('button', { name: 'Retry group' }).click()
      await page.getByText('Nothing to retry').waitFor()
      expect(await page.getByRole('button', { name: 'Retry jobs' }).isDisabled()).toBe(true)
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()

      await group(page, 'no such user').getByRole('button', { name: 'Retry group' }).click()
      await page.getByText('1 job matches').waitFor()
      await engine.retry({ id: second })
      await page.getByRole('button', { name: 'Retry 1 job' }).click()
      await page.locator('[data-testid=toast][data-tone=failed]', { hasText: 'No job was retried' }).waitFor()
    })
  },
  [sqlite],
)
