/** The built dashboard in a real browser, with everything that went wrong in it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { build } from 'vite'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { launchChromium } from '../support/chromium.ts'

const CLIENT = fileURLToPath(new URL('../../client', import.meta.url))
const TIMEOUT_MS = 60_000

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

/** Builds the page and starts a browser once for the tests of a file. */
export function shareDashboard(): Dashboard {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-page-'))
  let browser: Browser | undefined

  beforeAll(async () => {
    await build({
      root: CLIENT,
      configFile: join(CLIENT, 'vite.config.ts'),
      build: { outDir: folder },
      logLevel: 'error',
    })
    browser = await launchChromium()
  }, TIMEOUT_MS)

  afterAll(async () => {
    await browser?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  return {
    folder,
    async open(url, options = {}) {
      if (!browser) throw new Error('the browser has not started')
      const context = await browser.newContext(options)
      onTestFinished(() => context.close())
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
