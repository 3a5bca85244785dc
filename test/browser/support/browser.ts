/** Opens the built dashboard in a real browser and collects its errors. */
import { access, mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { build } from 'vite'
import { afterAll, beforeAll, onTestFinished, vi } from 'vitest'
import { compiledFolder } from '../../support/compiled/compiled.ts'
import { launchChromium } from '../../support/programs/chromium.ts'

const CLIENT = fileURLToPath(new URL('../../../client', import.meta.url))
const TIMEOUT_MS = 60_000
const LOG_VIOLATIONS = `document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
  console.error('violated the policy: ' + violatedDirective + ' ' + blockedURI))`

export interface Tab {
  readonly page: Page
  /** Exceptions, console errors and broken content security policies; failed requests are not among them. */
  readonly problems: readonly string[]
}

export interface Dashboard {
  /** Folder of the built page. */
  readonly folder: string
  open(url: string, options?: BrowserContextOptions): Promise<Tab>
}

/** The page is built once per run; each test file has its own browser. */
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
      // Scripts may catch the error of a blocked resource, so that it appears nowhere else.
      await context.addInitScript({ content: LOG_VIOLATIONS })
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

/** The first test file builds; the others wait until the build is complete. */
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
