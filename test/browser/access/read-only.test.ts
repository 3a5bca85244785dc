/** A token that may only look: every page opens, says what lacks, and offers nothing that would be refused. */
import type { Page } from 'playwright-core'
import { expect, it, vi } from 'vitest'
import type { Scope } from '../../../shared/scopes.ts'
import { sqlite } from '../../support/places.ts'
import { startOn, type TestServer } from '../../support/server.ts'
import { shareDashboard, type Tab } from '../support/browser.ts'
import { fillSample } from '../support/sample-data.ts'

const LIVE = '[data-testid=connection-state][data-connection=live]'

vi.setConfig({ testTimeout: 120_000 })

const dashboard = shareDashboard()

interface Visit extends Tab {
  readonly server: TestServer
  /** A job that runs. */
  readonly told: string
  /** What the server refused. */
  readonly refused: string[]
}

async function visit(scopes: Scope[]): Promise<Visit> {
  const server = await startOn(sqlite)({ DURABILITY: 'normal' }, { pageFolder: dashboard.folder })
  const told = await fillSample(server.engine)
  const { token } = await server.engine.createToken({ name: 'looks-only', scopes })
  const tab = await dashboard.open(server.url)
  await tab.page.getByLabel('Token').fill(token)
  await tab.page.keyboard.press('Enter')
  await tab.page.waitForSelector(LIVE)
  const refused: string[] = []
  tab.page.on('response', (response) => {
    if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`)
  })
  return { ...tab, server, told, refused }
}

async function settle(page: Page): Promise<void> {
  await page.waitForSelector(LIVE)
  await page.waitForSelector('h1', { state: 'attached' })
  await page.waitForFunction(() => !document.querySelector('[aria-busy=true]'))
}

/** Presses one of every kind of button that the page offers, and closes what it opened. */
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
        // Rows offer the same, each with its own id or number in it.
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

it('offers nothing that would be refused, on any page, and reads nothing that is not for it', async () => {
  const { page, problems, server, told, refused } = await visit(['read'])
  const { jobs } = await server.engine.list({ status: ['failed'], limit: 1 })
  expect(await page.getByTestId('read-only').textContent()).toContain('Read only')
  const paths = ['', 'jobs', 'jobs?view=table', `jobs/${told}`, `jobs/${jobs[0]?.id}`, 'failures', 'types', 'workers']
  const tabs = ['general', 'tokens', 'webhooks', 'audit']
  const pressed = new Set<string>()
  for (const path of [...paths, 'new?type=send_email', ...tabs.map((tab) => `settings?tab=${tab}`)]) {
    for (const name of await pressEverything(page, `${server.url}/${path}`)) pressed.add(name)
  }
  // It did press what is there to press.
  expect(pressed.size).toBeGreaterThan(15)
  expect(refused).toEqual([])
  expect(problems).toEqual([])
  const actions = await server.engine.auditTrail({ limit: 500 })
  expect(actions.filter(({ actor }) => actor === 'token:looks-only').map(({ action }) => action)).toEqual([
    'session.open',
  ])
})

it('says why an act is not for this token, and does nothing by key either', async () => {
  const { page, problems, server, told, refused } = await visit(['read'])
  await page.goto(`${server.url}/jobs/${told}`)
  const cancel = page.getByRole('button', { name: 'Cancel' })
  expect([await cancel.getAttribute('aria-disabled'), await cancel.getAttribute('title')]).toEqual([
    'true',
    'You may not do this: it needs the scope admin.',
  ])
  expect(await page.getByRole('link', { name: 'Clone' }).count()).toBe(0)
  await cancel.focus()
  await page.keyboard.press('Enter')
  await page.goto(`${server.url}/jobs?view=table&q=status:failed`)
  await settle(page)
  await page.keyboard.press('j')
  await page.keyboard.press('r')
  await page.getByTestId('toast').filter({ hasText: 'needs the scope admin' }).waitFor()
  await page.goto(`${server.url}/new?type=anything`)
  await page.getByTestId('lacking').filter({ hasText: 'needs the scope produce' }).waitFor()
  await page.getByLabel('Payload as JSON').fill('{}')
  await page.getByRole('textbox', { name: 'Priority' }).press('Enter')
  await page.goto(`${server.url}/settings`)
  await page.getByTestId('lacking').filter({ hasText: 'needs the scope admin' }).waitFor()
  expect(await page.getByLabel('Attempts', { exact: true }).isDisabled()).toBe(true)
  await page.goto(`${server.url}/settings?tab=tokens`)
  await page.getByText('Whoever has one sees the tokens here').waitFor()
  expect((await server.engine.get({ id: told })).cancelRequestedAt).toBeNull()
  expect((await server.engine.list({ type: 'anything' })).jobs).toEqual([])
  expect([refused, problems]).toEqual([[], []])
})

it('lets a token enqueue that may read and produce', async () => {
  const { page, problems, server, refused } = await visit(['read', 'produce'])
  await page.goto(`${server.url}/new?type=anything`)
  await page.getByRole('button', { name: 'Enqueue', exact: true }).click()
  await page.getByTestId('toast').filter({ hasText: 'Enqueued anything' }).waitFor()
  expect(await page.getByTestId('lacking').count()).toBe(0)
  expect([refused, problems]).toEqual([[], []])
})
