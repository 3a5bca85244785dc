/** Dashboard with a read-only token: every page opens, names the missing scope, and disables actions. */
import type { Page } from 'playwright-core'
import { expect, it, vi } from 'vitest'
import type { Scope } from '../../../shared/scopes.ts'
import { sqlite } from '../../support/places.ts'
import { startOn, type TestServer } from '../../support/server.ts'
import { shareDashboard, type Tab } from '../support/browser.ts'
import { fillSample } from '../support/sample-data.ts'
import { fillGroups } from '../support/sample-groups.ts'
import { fillSchedules } from '../support/sample-schedules.ts'

const LIVE = '[data-testid=connection-state][data-connection=live]'

vi.setConfig({ testTimeout: 120_000 })

const dashboard = shareDashboard()

interface Visit extends Tab {
  readonly server: TestServer
  /** Id of a running job. */
  readonly runningId: string
  /** Rejected requests. */
  readonly rejected: string[]
}

async function visit(scopes: Scope[]): Promise<Visit> {
  const server = await startOn(sqlite)({ DURABILITY: 'normal' }, { pageFolder: dashboard.folder })
  const runningId = await fillSample(server.engine)
  await fillGroups(server.engine)
  await fillSchedules(server.engine, Date.now())
  const { token } = await server.engine.createToken({ name: 'read-only', scopes })
  const tab = await dashboard.open(server.url)
  await tab.page.getByLabel('Token').fill(token)
  await tab.page.keyboard.press('Enter')
  await tab.page.waitForSelector(LIVE)
  const rejected: string[] = []
  tab.page.on('response', (response) => {
    if (response.status() >= 400) rejected.push(`${response.status()} ${response.url()}`)
  })
  return { ...tab, server, runningId, rejected }
}

async function settle(page: Page): Promise<void> {
  await page.waitForSelector(LIVE)
  await page.waitForSelector('h1', { state: 'attached' })
  await page.waitForFunction(() => !document.querySelector('[aria-busy=true]'))
}

/** Presses one button of every kind on the page, and closes what it opened. */
async function pressEverything(page: Page, url: string): Promise<readonly string[]> {
  const pressed: string[] = []
  const { pathname } = new URL(url)
  for (;;) {
    if (pressed.length === 0 || new URL(page.url()).pathname !== pathname) {
      await page.goto(url)
      await settle(page)
    }
    const next = await page.evaluate((before) => {
      const offered = 'main button:not([aria-disabled=true]):not(:disabled)'
      for (const button of document.querySelectorAll<HTMLElement>(offered)) {
        // Rows have the same buttons, each with its id or number.
        const name = (button.textContent ?? '').replace(/[0-9a-f]{8,}|\d+/g, '#')
        if (before.includes(name) || !button.checkVisibility()) continue
        button.click()
        return name
      }
      return null
    }, pressed)
    if (next === null) return pressed
    pressed.push(next)
    await page.keyboard.press('Escape')
  }
}

it('sends no request that would be rejected, on any page', async () => {
  const { page, problems, server, runningId, rejected } = await visit(['read'])
  const { jobs } = await server.engine.list({ status: ['failed'], limit: 1 })
  expect(await page.getByTestId('read-only').textContent()).toContain('Read-only')
  const paths = [
    '',
    'jobs',
    'jobs?view=table',
    `jobs/${runningId}`,
    `jobs/${jobs[0]?.id}`,
    'failures',
    'types',
    'groups',
    'groups?group=sync_tenant',
    'groups?group=deploy&key=staging',
    'schedules',
    'schedules?schedule=nightly-report',
    'schedules?schedule=nightly-report&edit=1',
    'schedules?new=1',
    'workers',
  ]
  const tabs = ['general', 'tokens', 'webhooks', 'audit']
  const pressed = new Set<string>()
  for (const path of [...paths, 'new?type=send_email', ...tabs.map((tab) => `settings?tab=${tab}`)]) {
    for (const name of await pressEverything(page, `${server.url}/${path}`)) pressed.add(name)
  }
  // Guard against a selector that matches nothing.
  expect(pressed.size).toBeGreaterThan(15)
  expect(rejected).toEqual([])
  expect(problems).toEqual([])
  const actions = await server.engine.auditTrail({ limit: 500 })
  expect(actions.filter(({ actor }) => actor === 'token:read-only').map(({ action }) => action)).toEqual([
    'session.open',
  ])
})

it('explains why an action is disabled, and ignores its keyboard shortcut', async () => {
  const { page, problems, server, runningId, rejected } = await visit(['read'])
  await page.goto(`${server.url}/jobs/${runningId}`)
  const cancel = page.getByRole('button', { name: 'Cancel' })
  expect([await cancel.getAttribute('aria-disabled'), await cancel.getAttribute('title')]).toEqual([
    'true',
    'Requires the admin scope.',
  ])
  expect(await page.getByRole('link', { name: 'Clone' }).count()).toBe(0)
  await cancel.focus()
  await page.keyboard.press('Enter')
  await page.goto(`${server.url}/jobs?view=table&q=status:failed`)
  await settle(page)
  await page.keyboard.press('j')
  await page.keyboard.press('r')
  await page.getByTestId('toast').filter({ hasText: 'Requires the admin scope.' }).waitFor()
  await page.goto(`${server.url}/new?type=anything`)
  await page.getByTestId('missing-scope').filter({ hasText: 'requires the produce scope' }).waitFor()
  await page.getByLabel('Payload as JSON').fill('{}')
  await page.getByRole('textbox', { name: 'Priority' }).press('Enter')
  await page.goto(`${server.url}/settings`)
  await page.getByTestId('missing-scope').filter({ hasText: 'requires the admin scope' }).waitFor()
  expect(await page.getByLabel('Max attempts', { exact: true }).isDisabled()).toBe(true)
  await page.goto(`${server.url}/settings?tab=tokens`)
  await page.getByText('Managing tokens requires the admin scope').waitFor()
  expect((await server.engine.get({ id: runningId })).cancelRequestedAt).toBeNull()
  expect((await server.engine.list({ type: 'anything' })).jobs).toEqual([])
  expect([rejected, problems]).toEqual([[], []])
})

it('allows a token with read and produce to enqueue', async () => {
  const { page, problems, server, rejected } = await visit(['read', 'produce'])
  await page.goto(`${server.url}/new?type=anything`)
  await page.getByRole('button', { name: 'Enqueue', exact: true }).click()
  await page.getByTestId('toast').filter({ hasText: 'Enqueued anything' }).waitFor()
  expect(await page.getByTestId('missing-scope').count()).toBe(0)
  expect([rejected, problems]).toEqual([[], []])
})
