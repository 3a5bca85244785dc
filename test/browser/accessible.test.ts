/** Every page, light and dark, wide and on a phone: nothing that axe finds wrong, and nothing wider than the screen. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, it, vi } from 'vitest'
import { sqlite } from '../support/places.ts'
import { startOn } from '../support/server.ts'
import { shareDashboard } from './browser.ts'
import { fillSample } from './sample-data.ts'

vi.setConfig({ testTimeout: 120_000 })

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const LOOKS = [
  { colorScheme: 'light', viewport: { width: 1_200, height: 800 } },
  { colorScheme: 'dark', viewport: { width: 1_200, height: 800 } },
  { colorScheme: 'light', viewport: { width: 390, height: 800 } },
] as const

const dashboard = shareDashboard()

it('are accessible', async () => {
  const server = await startOn(sqlite)({ DURABILITY: 'normal' }, { pageFolder: dashboard.folder })
  const told = await fillSample(server.engine)
  const paths = ['', 'jobs', 'jobs?view=table', `jobs/${told}`, 'failures', 'types', 'workers', 'new?type=send_email']
  const tabs = ['general', 'tokens', 'webhooks', 'audit', 'database', 'export', 'redaction', 'theme']
  const found: unknown[] = []
  for (const look of LOOKS) {
    const { page } = await dashboard.open('about:blank', { ...look, reducedMotion: 'reduce', bypassCSP: true })
    for (const path of [...paths, ...tabs.map((tab) => `settings?tab=${tab}`)]) {
      await page.goto(`${server.url}/${path}`)
      await page.waitForSelector('[data-connection=live]')
      await page.waitForSelector('h1', { state: 'attached' })
      await page.waitForFunction(() => !document.querySelector('[aria-busy=true]'))
      await page.evaluate(AXE)
      const violations = await page.evaluate(async () => {
        const axe: {
          run(): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>
        } = Reflect.get(window, 'axe')
        const { violations } = await axe.run()
        return violations.map(({ id, nodes }) => [id, nodes.length, nodes[0]?.html, nodes[0]?.failureSummary])
      })
      const isWide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)
      for (const violation of violations) found.push([path, look.colorScheme, look.viewport.width, ...violation])
      if (isWide) found.push([path, look.viewport.width, 'is wider than the screen'])
    }
    await page.context().close()
  }
  expect(found).toEqual([])
})
