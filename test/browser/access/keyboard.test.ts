/** Main workflows of the dashboard with the keyboard alone. */
import type { Page } from 'playwright-core'
import { expect, it, vi } from 'vitest'
import { add, refused, take } from '../../support/engine.ts'
import { sqlite } from '../../support/places.ts'
import { startOn } from '../../support/server.ts'
import { shareDashboard } from '../support/browser.ts'

const LIVE = '[data-testid=connection-state][data-connection=live]'

vi.setConfig({ testTimeout: 60_000 })

const dashboard = shareDashboard()
const row = (id: string, status = '') => `[data-job-id="${id}"]${status && `[data-job-status=${status}]`}`
const toast = (page: Page, text: string) => page.getByTestId('toast').filter({ hasText: text }).waitFor()

/** Presses Tab until the element with this name has the focus. */
async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  for (let stops = 0; stops < 120; stops++) {
    const focused = await page.evaluate(() => {
      const { activeElement } = document
      const own = activeElement?.getAttribute('aria-label') ?? activeElement?.textContent ?? ''
      const label = activeElement?.id ? document.querySelector(`label[for="${activeElement.id}"]`)?.textContent : null
      return (label ?? own).trim()
    })
    if (typeof name === 'string' ? focused === name : name.test(focused)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab did not reach ${name}`)
}

async function keys(page: Page, ...pressed: string[]): Promise<void> {
  for (const key of pressed) await page.keyboard.press(key)
}

it('filters, selects, retries, undoes, opens, cancels and deletes jobs by keyboard', async () => {
  const server = await startOn(sqlite)({}, { pageFolder: dashboard.folder })
  const { engine } = server
  const failed: string[] = []
  for (let n = 0; n < 3; n++) {
    const id = await add(engine)
    const { version } = await take(engine)
    await engine.fail({ id, version, error: 'it broke', retry: false })
    failed.push(id)
  }
  const waiting = await add(engine, { type: 'later', delayMs: 3_600_000 })
  const statuses = () => Promise.all(failed.map(async (id) => (await engine.get({ id })).status))
  const { page, problems } = await dashboard.open(server.url)
  await page.waitForSelector(LIVE)
  // The shortcut focuses the filter from any page, and is not typed into it.
  await keys(page, 'g', 'w')
  await page.waitForURL('**/workers')
  await keys(page, '/')
  await page.waitForSelector('[data-filter-field]:focus')
  expect(await page.locator('[data-filter-field]').inputValue()).toBe('')
  await keys(page, 'Escape', 'Escape', 'g', 'j')
  await page.waitForURL('**/jobs')
  await page.waitForSelector(row(waiting))
  await keys(page, '/')
  await page.waitForSelector('[data-filter-field]:focus')
  await page.keyboard.type('status:fai')
  await page.waitForSelector('[role=option]')
  await keys(page, 'ArrowDown', 'Enter', 'Escape', 'Escape')
  await page.waitForSelector(row(waiting), { state: 'detached' })
  await page.waitForSelector(row(failed[0] ?? ''))
  // Retry two rows and undo it.
  await keys(page, 'j', 'x', 'j', 'x')
  await page.waitForSelector('[data-testid=selection]:has-text("2 selected")')
  await tabTo(page, /^Retry/)
  await keys(page, 'Enter')
  await toast(page, '2 jobs retried')
  expect(await statuses()).toEqual(['failed', 'pending', 'pending'])
  await page.waitForSelector('[data-undo]')
  await keys(page, 'u')
  await toast(page, 'Undone')
  expect(await statuses()).toEqual(['failed', 'failed', 'failed'])

  await page.goto(`${server.url}/jobs?view=table&q=type:later`)
  await page.waitForSelector(row(waiting, 'scheduled'))
  await keys(page, 'j', 'Enter')
  await page.waitForURL(`**/jobs/${waiting}`)
  await page.getByRole('button', { name: 'Cancel' }).waitFor()
  await tabTo(page, 'Cancel')
  await keys(page, 'Enter')
  await page.waitForSelector('[data-testid=job-status][data-status=cancelled]')
  await tabTo(page, 'Delete')
  await keys(page, 'Enter')
  await page.waitForSelector('[role=dialog]')
  // The dialog focuses the safe button; Escape returns the focus.
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Cancel')
  await keys(page, 'Escape')
  await page.waitForSelector('[role=dialog]', { state: 'detached' })
  // The focus returns shortly after the dialog has closed.
  await page.waitForFunction(() => document.activeElement?.textContent === 'Delete')
  await keys(page, 'Enter')
  await page.waitForSelector('[role=dialog]')
  await tabTo(page, 'Delete job')
  await keys(page, 'Enter')
  await toast(page, 'Deleted later')
  expect((await refused(engine.get({ id: waiting }))).code).toBe('NOT_FOUND')
  expect(problems).toEqual([])
})

it('enqueues a new job and opens it by keyboard', async () => {
  const server = await startOn(sqlite)({}, { pageFolder: dashboard.folder })
  const { page, problems } = await dashboard.open(server.url)
  await page.waitForSelector(LIVE)
  await keys(page, 'g', 'n')
  await page.getByRole('combobox', { name: 'Type' }).waitFor()
  await tabTo(page, 'Skip to content')
  await keys(page, 'Enter')
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('content')
  await tabTo(page, /^Type/)
  await page.keyboard.type('send_email')
  await tabTo(page, 'Payload as JSON')
  await keys(page, 'ControlOrMeta+a')
  await page.keyboard.type('{"to":"ada@example.com"}')
  await tabTo(page, 'Enqueue')
  await keys(page, 'Enter')
  await toast(page, 'Enqueued send_email')
  await keys(page, 'u')
  await page.waitForURL(/\/jobs\/[0-9a-f-]{36}$/)
  const { jobs } = await server.engine.list({ payloads: true })
  expect(jobs.map(({ type, payload }) => [type, payload])).toEqual([['send_email', { to: 'ada@example.com' }]])
  expect(problems).toEqual([])
})
