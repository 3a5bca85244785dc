/** What a tab says of the queue while one looks elsewhere: its title and its icon, on every page. */
import type { Page } from 'playwright-core'
import { describe, expect, it, vi } from 'vitest'
import { recentFailures } from '../../client/app/tab/recent-failures.ts'
import { tabState } from '../../client/app/tab/tab-state.ts'
import { connectionOf } from '../../client/live/connection.ts'
import { MINUTE } from '../../shared/limits.ts'
import { add, take } from '../support/engine.ts'
import { sqlite } from '../support/places.ts'
import { reverseProxy } from '../support/proxies/proxy.ts'
import { type Settings, startOn } from '../support/server.ts'
import { shareDashboard } from './support/browser.ts'

const LIVE = '[data-testid=connection-state][data-connection=live]'

vi.setConfig({ testTimeout: 60_000 })

const dashboard = shareDashboard()
const start = (settings: Settings = {}) => startOn(sqlite)(settings, { pageFolder: dashboard.folder })
const hasTitle = (page: Page, title: string) => page.waitForFunction((wanted) => document.title === wanted, title)

/** The icon's name, once the server has really given it as a picture. */
async function icon(page: Page): Promise<string> {
  const address = await page
    .locator('link[rel=icon]')
    .evaluate((link) => (link instanceof HTMLLinkElement ? link.href : ''))
  const answer = await page.request.get(address)
  expect([answer.status(), answer.headers()['content-type']]).toEqual([200, 'image/svg+xml'])
  return new URL(address).pathname.replace(/^.*\//, '')
}

describe('the tab', () => {
  it('has the name of every page, and where there is more to say, that', async () => {
    const server = await start({ BASE_PATH: '/tools/queue' })
    const id = await add(server.engine, { type: 'send_email' })
    const { page, problems } = await dashboard.open(`${server.url}/`)
    const names = [
      ['', 'Overview'],
      ['jobs', 'Jobs'],
      [`jobs/${id}`, 'send_email pending'],
      ['jobs/no-such-job', 'Job'],
      ['failures', 'Failures'],
      ['types', 'Types'],
      ['workers', 'Workers'],
      ['new', 'New job'],
      ['settings', 'General · Settings'],
      ['settings?tab=audit', 'Audit · Settings'],
    ]
    for (const [path, name] of names) {
      await page.goto(`${server.url}/${path}`)
      await hasTitle(page, `${name} · Millrace`)
    }
    expect(await icon(page)).toBe('favicon.svg')
    await page.goto(`${server.url}/jobs/${id}`)
    await take(server.engine)
    await hasTitle(page, 'send_email processing · Millrace')
    expect(problems).toEqual([])
  })

  it('says on every page that jobs failed, and stops when they are retried; old failures are no news', async () => {
    const server = await start()
    const { engine } = server
    const { page, problems } = await dashboard.open(`${server.url}/workers`)
    await page.waitForSelector(LIVE)
    await hasTitle(page, 'Workers · Millrace')
    const id = await add(engine)
    const { version } = await take(engine)
    await engine.fail({ id, version, error: 'no paper', retry: false })
    await hasTitle(page, '1 just failed · Workers · Millrace')
    expect(await icon(page)).toBe('favicon-failed.svg')
    // Also in a tab that is opened only now.
    const other = await page.context().newPage()
    await other.goto(`${server.url}/types`)
    await hasTitle(other, '1 just failed · Types · Millrace')
    await engine.retry({ id })
    await hasTitle(page, 'Workers · Millrace')
    expect(await icon(page)).toBe('favicon.svg')
    expect(problems).toEqual([])
  })

  it('says that the queue is paused, whoever paused it, and on the page too', async () => {
    const server = await start()
    const { page, problems } = await dashboard.open(server.url)
    await page.waitForSelector(LIVE)
    await page.getByText('Running', { exact: true }).waitFor()
    await server.engine.pause()
    await hasTitle(page, 'Paused · Overview · Millrace')
    await page.getByText('Paused: nothing is handed out').waitFor()
    expect(await icon(page)).toBe('favicon-paused.svg')
    await page.getByRole('link', { name: 'Workers', exact: true }).click()
    await page.getByRole('banner').getByRole('link', { name: 'Paused — nothing is handed out' }).click()
    await page.getByRole('button', { name: 'Resume the queue' }).click()
    await hasTitle(page, 'Overview · Millrace')
    expect(await page.getByTestId('paused').count()).toBe(0)
    expect(problems).toEqual([])
  })

  it('says that it is offline, opens other pages meanwhile, and takes it back', async () => {
    const server = await start()
    const proxy = await reverseProxy(server.address.port)
    const { page } = await dashboard.open(`${proxy.url}/jobs`)
    await page.waitForSelector(LIVE)
    // The last of the other pages, which are fetched while nothing else is to do.
    await page.waitForFunction(() =>
      performance.getEntriesByType('resource').some(({ name }) => /\/Settings-[^/]+\.js$/.test(name)),
    )
    await page.context().setOffline(true)
    proxy.goDown()
    await hasTitle(page, 'Offline · Jobs · Millrace')
    expect(await page.locator('link[rel=icon]').getAttribute('href')).toBe('favicon-offline.svg')
    // A page that was never open opens all the same, and loads by itself.
    await page.getByRole('link', { name: 'Types' }).click()
    await page.getByText('The server is away; this loads by itself when it is back.').waitFor()
    expect(await page.content()).not.toContain('Failed to fetch')
    await page.context().setOffline(false)
    proxy.comeBack()
    await page.getByText('No types yet').waitFor()
    await hasTitle(page, 'Types · Millrace')
    expect(await icon(page)).toBe('favicon.svg')
  })

  it('is told to screen readers when the page changes, not before', async () => {
    const server = await start()
    const { page } = await dashboard.open(`${server.url}/jobs`)
    const told = page.getByTestId('page-announced')
    await page.waitForSelector(LIVE)
    expect(await told.textContent()).toBe('')
    await page.getByRole('link', { name: 'Types' }).click()
    await told.filter({ hasText: 'Types' }).waitFor({ state: 'attached' })
  })
})

describe('what a tab says', () => {
  const calm = { connection: 'live', isPaused: false, failed: 0 } as const

  it.each([
    [calm, [], 'favicon'],
    [{ ...calm, isPaused: true }, ['Paused'], 'favicon-paused'],
    [{ ...calm, isPaused: true, failed: 1_200 }, ['1,200 just failed', 'Paused'], 'favicon-failed'],
    [{ connection: 'offline', isPaused: true, failed: 3 }, ['Offline'], 'favicon-offline'],
    [{ ...calm, connection: 'reconnecting' }, [], 'favicon'],
    // Nothing is known of a queue that one may not see, or that a hidden tab does not follow.
    [{ connection: 'refused', isPaused: true, failed: 3 }, [], 'favicon'],
    [{ connection: 'shut', isPaused: true, failed: 3 }, [], 'favicon'],
    [{ connection: 'resting', isPaused: true, failed: 3 }, [], 'favicon'],
  ] as const)('%j', (known, words, shown) => {
    expect(tabState(known)).toEqual({ words, icon: shown })
  })

  it('counts what failed for good in five minutes, and never more than there are', () => {
    const minutes = [
      { minute: 95, dead: 100 },
      { minute: 96, dead: 2 },
      { minute: 100, dead: 3 },
    ]
    const now = 100 * MINUTE + 30_000
    expect([recentFailures(minutes, now, 4_000), recentFailures(minutes, now, 4)]).toEqual([5, 4])
    expect(recentFailures(minutes, now + 5 * MINUTE, 4_000)).toBe(0)
  })

  it('does not call a hidden tab offline that has left its line to others', () => {
    const line = { door: 'open', isOpen: false, wasOpen: true, isLongDown: true, hasNetwork: true } as const
    expect([connectionOf({ ...line, isResting: true }), connectionOf({ ...line, isResting: false })]).toEqual([
      'resting',
      'offline',
    ])
  })
})
