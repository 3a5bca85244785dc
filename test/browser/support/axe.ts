/** What axe finds wrong with a page as it stands, in light and in dark. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Axe {
  run(options: { runOnly?: readonly string[] }): Promise<{
    violations: { id: string; nodes: { html: string; failureSummary: string }[] }[]
  }>
}

/** Also when it is wider than the screen. The page's policy has to be bypassed, and motion reduced. */
export async function faultsOf(page: Page): Promise<readonly unknown[]> {
  await page.evaluate(AXE)
  await page.emulateMedia({ colorScheme: 'light' })
  const light = await run(page, {})
  const isWide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)
  await page.emulateMedia({ colorScheme: 'dark' })
  // Of what axe looks at, the theme changes the colours alone.
  const dark = await run(page, { runOnly: ['color-contrast'] })
  await page.emulateMedia({ colorScheme: 'light' })
  return [
    ...light.map((fault) => ['light', ...fault]),
    ...dark.map((fault) => ['dark', ...fault]),
    ...(isWide ? ['is wider than the screen'] : []),
  ]
}

/** The same page on a phone, in light: it is drawn differently, in the colours that were looked at already. */
export async function faultsOnPhone(page: Page): Promise<readonly unknown[]> {
  await page.evaluate(AXE)
  const isWide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)
  return [...(await run(page, {})), ...(isWide ? ['is wider than the screen'] : [])]
}

function run(page: Page, options: { runOnly?: string[] }): Promise<readonly unknown[][]> {
  return page.evaluate(async (wanted) => {
    const axe: Axe = Reflect.get(window, 'axe')
    const { violations } = await axe.run(wanted)
    return violations.map(({ id, nodes }) => [id, nodes.length, nodes[0]?.html, nodes[0]?.failureSummary])
  }, options)
}
