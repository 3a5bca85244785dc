/** Accessibility violations of the current page, found by axe. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Axe {
  run(options: { runOnly?: readonly string[] }): Promise<{
    violations: { id: string; nodes: { html: string; failureSummary: string }[] }[]
  }>
}

/** Light and dark theme, and horizontal overflow. Requires bypassCSP and reduced motion. */
export async function faultsOf(page: Page): Promise<readonly unknown[]> {
  await page.evaluate(AXE)
  await page.emulateMedia({ colorScheme: 'light' })
  const light = await run(page, {})
  const isWide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)
  await page.emulateMedia({ colorScheme: 'dark' })
  // The theme changes only colours.
  const dark = await run(page, { runOnly: ['color-contrast'] })
  await page.emulateMedia({ colorScheme: 'light' })
  return [
    ...light.map((fault) => ['light', ...fault]),
    ...dark.map((fault) => ['dark', ...fault]),
    ...(isWide ? ['is wider than the screen'] : []),
  ]
}

/** On a phone, light theme only: the colours were already checked. */
export async function faultsOnPhone(page: Page): Promise<readonly unknown[]> {
  await page.evaluate(AXE)
  const isWide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)
  return [...(await run(page, {})), ...(isWide ? ['is wider than the screen'] : [])]
}

function run(page: Page, options: { runOnly?: string[] }): Promise<readonly unknown[][]> {
  return page.evaluate(async (options) => {
    const axe: Axe = Reflect.get(window, 'axe')
    const { violations } = await axe.run(options)
    return violations.map(({ id, nodes }) => [id, nodes.length, nodes[0]?.html, nodes[0]?.failureSummary])
  }, options)
}
