/** Title and icon of the browser tab on every page and in every state. */
import type { Page } from 'playwright-core'
import { describe, expect, it, vi } from 'vitest'
import { recentFailures } from '../../client/app/tab/recent-failures.ts'
import { tabState } from '../../client/app/tab/tab-state.ts'
import { connectionOf } from '../../client/live/connection/connection.ts'
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

/** Name of the icon, after checking that the server serves it as an image. */
async function icon(page: Page): Promise<string> {
  const address = await page
    .locator('link[rel=icon]')
    .evaluate((link) => (link instanceof HTMLLinkElement ? link.href : ''))
  const answer = await page.request.get(address)
  expect([answer.status(), answer.headers()['content-type']]).toEqual([200, 'image/svg+xml'])
  return new URL(address).pathname.replace(/^.*\//, '')
}

describe('browser tab', () => {
  it('shows the name of every page, and the type and status of a job', async () => {
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
      ['groups', 'Groups'],
      ['groups?group=sync_tenant', 'sync_tenant · Groups'],
      ['groups?group=sync_tenant&key=acme', 'acme · sync_tenant'],
      ['schedules', 'Schedules'],
      ['schedules?new=1', 'New schedule'],
      ['schedules?schedule=nightly', 'nightly · Schedules'],
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

  it('shows recent failures on every page until they are retried', async () => {
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
    // Also in a tab opened afterwards.
    const other = await page.context().newPage()
    await other.goto(`${server.url}/types`)
    await hasTitle(other, '1 just failed · Types · Millrace')
    await engine.retry({ id })
    await hasTitle(page, 'Workers · Millrace')
    expect(await icon(page)).toBe('favicon.svg')
    expect(problems).toEqual([])
  })

  it('shows that the queue was paused by another client, also on the page', async () => {
    const server = await start()
    const { page, problems } = await dashboard.open(server.url)
    await page.waitForSelector(LIVE)
    await page.getByText('Running', { exact: true }).waitFor()
    await server.engine.pause()
    await hasTitle(page, 'Paused · Overview · Millrace')
    await page.getByText('Paused. No jobs are being started').waitFor()
    expect(await icon(page)).toBe('favicon-paused.svg')
    await page.getByRole('link', { name: 'Workers', exact: true }).click()
    await page.getByRole('banner').getByRole('link', { name: 'Paused. No jobs are being started' }).click()
    await page.getByRole('button', { name: 'Resume the queue' }).click()
    await hasTitle(page, 'Overview · Millrace')
    expect(await page.getByTestId('paused').count()).toBe(0)
    expect(problems).toEqual([])
  })

  it('shows that it is offline, opens other pages meanwhile, and recovers', async () => {
    const server = await start()
    const proxy = await reverseProxy(server.address.port)
    const { page } = await dashboard.open(`${proxy.url}/jobs`)
    await page.waitForSelector(LIVE)
    // Wait until the code of all pages has been prefetched.
    await page.waitForFunction(() =>
      performance.getEntriesByType('resource').some(({ name }) => /\/Settings-[^/]+\.js$/.test(name)),
    )
    await page.context().setOffline(true)
    proxy.goDown()
    await hasTitle(page, 'Offline · Jobs · Millrace')
    expect(await page.locator('link[rel=icon]').getAttribute('href')).toBe('favicon-offline.svg')
    // A page that was never opened is shown, and loads after reconnecting.
    await page.getByRole('link', { name: 'Types' }).click()
    await page.getByText('The server is unreachable. Loading resumes when it is back.').waitFor()
    expect(await page.content()).not.toContain('Failed to fetch')
    await page.context().setOffline(false)
    proxy.comeBack()
    await page.getByText('No types yet').waitFor()
    await hasTitle(page, 'Types · Millrace')
    expect(await icon(page)).toBe('favicon.svg')
  })

  it('announces the page to screen readers when it changes, not before', async () => {
    const server = await start()
    const { page } = await dashboard.open(`${server.url}/jobs`)
    const announced = page.getByTestId('page-announced')
    await page.waitForSelector(LIVE)
    expect(await announced.textContent()).toBe('')
    await page.getByRole('link', { name: 'Types' }).click()
    await announced.filter({ hasText: 'Types' }).waitFor({ state: 'attached' })
  })
})

describe('tab state', () => {
  const calm = { connection: 'live', isPaused: false, failed: 0 } as const

  it.each([
    [calm, [], 'favicon'],
    [{ ...calm, isPaused: true }, ['Paused'], 'favicon-paused'],
    [{ ...calm, isPaused: true, failed: 1_200 }, ['1,200 just failed', 'Paused'], 'favicon-failed'],
    [{ connection: 'offline', isPaused: true, failed: 3 }, ['Offline'], 'favicon-offline'],
    [{ ...calm, connection: 'reconnecting' }, [], 'favicon'],
    // Without access, or in a hidden tab without connection, nothing is known of the queue.
    [{ connection: 'signedOut', isPaused: true, failed: 3 }, [], 'favicon'],
    [{ connection: 'forbidden', isPaused: true, failed: 3 }, [], 'favicon'],
    [{ connection: 'inactive', isPaused: true, failed: 3 }, [], 'favicon'],
  ] as const)('has the expected labels and icon for %j', (known, labels, shown) => {
    expect(tabState(known)).toEqual({ labels, icon: shown })
  })

  it('counts permanent failures of the last five minutes, at most the jobs that are failed', () => {
    const minutes = [
      { minute: 95, dead: 100 },
      { minute: 96, dead: 2 },
      { minute: 100, dead: 3 },
    ]
    const now = 100 * MINUTE + 30_000
    expect([recentFailures(minutes, now, 4_000), recentFailures(minutes, now, 4)]).toEqual([5, 4])
    expect(recentFailures(minutes, now + 5 * MINUTE, 4_000)).toBe(0)
  })

  it('does not show a hidden tab as offline that uses the connection of another tab', () => {
    const line = { authState: 'allowed', isOpen: false, wasOpen: true, isLongDown: true, hasNetwork: true } as const
    expect([connectionOf({ ...line, isInactive: true }), connectionOf({ ...line, isInactive: false })]).toEqual([
      'inactive',
      'offline',
    ])
  })
})
