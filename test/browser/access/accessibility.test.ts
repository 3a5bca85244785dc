/** Accessibility of every page and dialog, light and dark, wide and on a phone: no axe violations, no horizontal overflow. */
import type { Page } from 'playwright-core'
import { expect, it, vi } from 'vitest'
import { sqlite } from '../../support/places.ts'
import { type Settings, startOn } from '../../support/server.ts'
import { faultsOf, faultsOnPhone } from '../support/axe.ts'
import { shareDashboard } from '../support/browser.ts'
import { fillSample } from '../support/sample-data.ts'
import { fillGroups } from '../support/sample-groups.ts'
import { fillSchedules, runSchedules } from '../support/sample-schedules.ts'

vi.setConfig({ testTimeout: 300_000 })

const WIDE = { width: 1_200, height: 800 }
const PHONE = { width: 390, height: 800 }

const dashboard = shareDashboard()
const start = (settings: Settings = {}) =>
  startOn(sqlite)({ DURABILITY: 'normal', ...settings }, { pageFolder: dashboard.folder })
const openPage = async () =>
  (await dashboard.open('about:blank', { viewport: WIDE, reducedMotion: 'reduce', bypassCSP: true })).page
const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first().click()

async function settle(page: Page): Promise<void> {
  await page.waitForSelector('[data-connection=live]')
  await page.waitForSelector('h1', { state: 'attached' })
  await page.waitForFunction(() => !document.querySelector('[aria-busy=true]'))
}

it('finds no accessibility violations on any page', async () => {
  const server = await start()
  const jobId = await fillSample(server.engine)
  const blockedId = await fillGroups(server.engine)
  await fillSchedules(server.engine, Date.now())
  await runSchedules(server.engine)
  const paths = [
    ...['', 'jobs', 'jobs?view=table', `jobs/${jobId}`, 'failures', 'types', 'workers', 'new?type=send_email'],
    ...['jobs?view=table&q=status:blocked', `jobs/${blockedId}`, 'groups', 'groups?group=sync_tenant'],
    ...['groups?group=openai', 'groups?group=sync_tenant&key=acme', 'groups?group=deploy&key=staging'],
    ...['schedules', 'schedules?view=day', 'schedules?schedule=nightly-report', 'schedules?schedule=warehouse'],
    ...['schedules?new=1', 'schedules?schedule=nightly-report&edit=1'],
  ]
  const tabs = ['general', 'tokens', 'webhooks', 'audit', 'database', 'export', 'redaction', 'theme']
  const found: unknown[] = []
  const page = await openPage()
  for (const path of [...paths, ...tabs.map((tab) => `settings?tab=${tab}`)]) {
    await page.setViewportSize(WIDE)
    await page.goto(`${server.url}/${path}`)
    await settle(page)
    for (const fault of await faultsOf(page)) found.push([path, 'wide', fault])
    await page.setViewportSize(PHONE)
    for (const fault of await faultsOnPhone(page)) found.push([path, 'phone', fault])
  }
  expect(found).toEqual([])
})

/** Dialogs, expanded rows and errors: path, action, and the selector that then appears. */
const STATES: readonly (readonly [path: string, open: (page: Page) => Promise<unknown>, shown: string])[] = [
  ['', (page) => page.keyboard.press('?'), '[role=dialog]'],
  ['jobs?view=table', (page) => page.getByRole('combobox').pressSequentially('status:'), '[role=option]'],
  ['jobs?view=table&q=status:fialed', async () => {}, '[role=alert]'],
  ['jobs?view=table&q=type:nothing', async () => {}, 'text=No job matches'],
  [
    'jobs?view=table&q=status:failed',
    async (page) => {
      await page.getByRole('checkbox', { name: 'Select every row in view' }).click()
      await page.waitForSelector('[data-testid=selection]')
      await press(page, 'Delete')
    },
    '[role=dialog]',
  ],
  ['jobs?view=table&q=status:failed', (page) => page.getByRole('checkbox').nth(2).click(), '[data-testid=selection]'],
  ['jobs?open=failed', (page) => press(page, /^Delete/), '[role=dialog]'],
  ['jobs/no-such-job', async () => {}, 'text=Job not found'],
  ['failures', (page) => page.locator('main [aria-expanded=false]').first().click(), 'main [aria-expanded=true]'],
  ['failures', (page) => press(page, /^Retry group/), '[role=dialog]'],
  ['types?edit=send_email', async () => {}, '[role=dialog]'],
  ['groups?edit=sync_tenant', async () => {}, '[role=dialog]'],
  ['groups?group=sync_tenant&key=globex&edit=globex', async () => {}, '[role=dialog]'],
  ['schedules?pause=cleanup', async () => {}, '[role=dialog]'],
  ['schedules?schedule=cleanup&backfill=cleanup', async () => {}, '[role=dialog]'],
  ['schedules?schedule=cleanup&delete=cleanup', async () => {}, '[role=dialog]'],
  ['schedules?schedule=nothing', async () => {}, 'text=Schedule not found'],
  ['schedules?new=1', (page) => press(page, 'Create'), '[data-testid=problem]'],
  ['groups?group=nothing', async () => {}, 'text=No type declares this group'],
  ['workers', (page) => page.locator('main [aria-expanded=false]').first().click(), 'main [aria-expanded=true]'],
  ['workers', (page) => press(page, /^Drain/), '[role=dialog]'],
  ['new?type=send_email', (page) => press(page, 'Enqueue'), '[data-testid=problem]'],
  ['settings', (page) => press(page, 'Pause the queue'), '[data-testid=toast]'],
  ['settings', (page) => press(page, 'Resume the queue'), 'text=The queue is running'],
  ['settings?tab=tokens', (page) => press(page, 'New token'), '[role=dialog]'],
  ['settings?tab=export&q=nonsense:1', async () => {}, '[role=alert]'],
]

it('finds no accessibility violations in dialogs, expanded rows and errors', async () => {
  const server = await start()
  await fillSample(server.engine)
  await fillGroups(server.engine)
  await fillSchedules(server.engine, Date.now())
  const found: unknown[] = []
  const page = await openPage()
  for (const [path, open, shown] of STATES) {
    await page.goto(`${server.url}/${path}`)
    await settle(page)
    await open(page)
    await page.waitForSelector(shown)
    for (const fault of await faultsOf(page)) found.push([path, shown, fault])
  }
  for (const path of ['types', 'groups', 'schedules', 'workers', 'jobs']) {
    await page.route(/\/trpc\/[^?]*\blist\b/, (route) =>
      route.fulfill({ status: 400, contentType: 'application/json', body: '{}' }),
    )
    await page.goto(`${server.url}/${path}`)
    await page
      .getByText(/^Could not load/)
      .first()
      .waitFor()
    for (const fault of await faultsOf(page)) found.push([path, 'failed to load', fault])
    await page.unrouteAll()
  }
  expect(found).toEqual([])
})

it('finds no accessibility violations on empty pages, at sign-in and read-only', async () => {
  const [empty, closed] = [await start(), await start({ AUTH_TOKEN: 'a-secret' })]
  const { token } = await closed.engine.createToken({ name: 'read-only', scopes: ['read'] })
  const found: unknown[] = []
  const page = await openPage()
  for (const path of ['', 'jobs', 'failures', 'types', 'groups', 'schedules', 'workers', 'new']) {
    await page.goto(`${empty.url}/${path}`)
    await settle(page)
    for (const fault of await faultsOf(page)) found.push([path, 'empty', fault])
  }
  await page.goto(closed.url)
  await page.getByLabel('Token').fill('wrong')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').waitFor()
  for (const fault of await faultsOf(page)) found.push(['sign in', fault])
  await page.getByLabel('Token').fill(token)
  await page.keyboard.press('Enter')
  await settle(page)
  for (const path of ['settings', 'settings?tab=tokens', 'schedules?new=1', 'new', 'jobs']) {
    await page.setViewportSize(path === 'jobs' ? PHONE : WIDE)
    await page.goto(`${closed.url}/${path}`)
    await settle(page)
    for (const fault of await faultsOf(page)) found.push([path, 'read only', fault])
  }
  expect(found).toEqual([])
})
