/** Screen reader announcements, and pages whose code could not be loaded. */
import { expect, it, vi } from 'vitest'
import { addMany } from '../../support/engine.ts'
import { sqlite } from '../../support/places.ts'
import { startOn } from '../../support/server.ts'
import { shareDashboard } from '../support/browser.ts'

const LIVE = '[data-testid=connection-state][data-connection=live]'

vi.setConfig({ testTimeout: 60_000 })

const dashboard = shareDashboard()
const start = () => startOn(sqlite)({}, { pageFolder: dashboard.folder })

it('announces once that new rows are waiting, not for every new job', async () => {
  const { engine, url } = await start()
  await addMany(engine, 40)
  const { page, problems } = await dashboard.open(url, { viewport: { width: 1_000, height: 400 } })
  await page.waitForSelector(LIVE)
  await page.waitForSelector('[data-job-id]')
  await page.mouse.wheel(0, 300)
  await page.waitForFunction(() => window.scrollY > 100)
  // Records everything that a screen reader would announce.
  await page.evaluate(() => {
    const announced: string[] = []
    Reflect.set(window, 'announced', announced)
    const live = '[role=status], [role=alert], [aria-live=polite], [aria-live=assertive]'
    new MutationObserver((changes) => {
      for (const { target } of changes) {
        const region = (target instanceof Element ? target : target.parentElement)?.closest(live)
        if (region && region.getAttribute('aria-live') !== 'off') announced.push(region.textContent ?? '')
      }
    }).observe(document.body, { subtree: true, childList: true, characterData: true })
  })
  for (let more = 1; more <= 5; more++) {
    await addMany(engine, 3)
    await page.waitForSelector(`[data-testid=new-jobs]:has-text("${more * 3} new")`)
  }
  expect(await page.evaluate(() => Reflect.get(window, 'announced'))).toEqual(['New jobs are waiting.'])
  await page.click('[data-testid=new-jobs]')
  await page.waitForSelector('[data-testid=new-jobs]', { state: 'detached' })
  expect(problems).toEqual([])
})

it('offers a retry when the code of a page could not be loaded, and keeps the rest working', async () => {
  const { url } = await start()
  const { page } = await dashboard.open(url)
  await page.waitForSelector(LIVE)
  await page.route(/\/assets\/Workers-.*\.js/, (route) => route.abort())
  await page.getByRole('link', { name: 'Workers', exact: true }).click()
  await page.getByRole('heading', { name: 'Could not load this page' }).waitFor()
  await page.getByRole('alert').filter({ hasText: 'This page could not be loaded. Reload to try again.' }).waitFor()
  // Other pages are not affected.
  await page.getByRole('link', { name: 'Types', exact: true }).click()
  await page.getByRole('heading', { name: 'No types yet' }).waitFor()
  await page.getByRole('link', { name: 'Workers', exact: true }).click()
  await page.getByRole('heading', { name: 'Could not load this page' }).waitFor()
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { name: 'Workers' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/workers')
})
