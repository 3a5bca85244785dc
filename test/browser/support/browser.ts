/** The built dashboard in a real browser, with everything that went wrong in it. */
import { access, mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { build } from 'vite'
import { afterAll, beforeAll, onTestFinished, vi } from 'vitest'
import { launchChromium } from '../../support/chromium.ts'
import { compiledFolder } from '../../support/compiled/compiled.ts'

const CLIENT = fileURLToPath(new URL('../../../client', import.meta.url))
const TIMEOUT_MS = 60_000
const TELL_VIOLATIONS = `document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
  console.error('broke the policy: ' + violatedDirective + ' ' + blockedURI))`

export interface Tab {
  readonly page: Page
  /** Exceptions, console errors and broken content security policies; failed requests are not among them. */
  readonly problems: readonly string[]
}

export interface Dashboard {
  /** Where the built page is. */
  readonly folder: string
  open(url: string, options?: BrowserContextOptions): Promise<Tab>
}

/** The page, built once per run, and a browser for the tests of a file. */
export function shareDashboard(): Dashboard {
  const folder = join(compiledFolder(), 'page')
  let browser: Browser | undefined

  beforeAll(async () => {
    await buildOnce(folder)
    browser = await launchChromium()
  }, TIMEOUT_MS)

  afterAll(() => browser?.close())

  return {
    folder,
    async open(url, options = {}) {
      if (!browser) throw new Error('the browser has not started')
      const context = await browser.newContext(options)
      onTestFinished(() => context.close())
      // Scripts may catch what they were refused: then nothing else would tell of it.
      await context.addInitScript({ content: TELL_VIOLATIONS })
      const page = await context.newPage()
      const problems: string[] = []
      page.on('pageerror', (error) => problems.push(String(error)))
      page.on('console', (message) => {
        if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
          problems.push(message.text())
      })
      await page.goto(url)
      return { page, problems }
    },
  }
}

/** Whoever comes first builds; the others wait until it is whole. */
async function buildOnce(folder: string): Promise<void> {
  const isFirst = await mkdir(`${folder}-claimed`).then(
    () => true,
    () => false,
  )
  if (isFirst) {
    const draft = `${folder}-draft`
    const configFile = join(CLIENT, 'vite.config.ts')
    await build({ root: CLIENT, configFile, build: { outDir: draft }, logLevel: 'error' })
    await rename(draft, folder)
  }
  await vi.waitFor(() => access(folder), { timeout: TIMEOUT_MS, interval: 100 })
}
