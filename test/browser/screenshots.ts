/** Takes pictures of every page of a real server, light, dark and on a phone: `npm run screenshots`. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { readConfig } from '../../server/config.ts'
import { openLog } from '../../server/log.ts'
import { serve } from '../../server/serve.ts'
import { readServerConfig } from '../../server/server-config.ts'
import { launchChromium } from '../support/chromium.ts'
import { fillSample } from './sample-data.ts'

const CLIENT = fileURLToPath(new URL('../../client', import.meta.url))
const IMAGES = process.env.IMAGES ?? fileURLToPath(new URL('../../docs/images', import.meta.url))

const LOOKS = [
  { look: 'light', colorScheme: 'light', viewport: { width: 1_200, height: 760 } },
  { look: 'dark', colorScheme: 'dark', viewport: { width: 1_200, height: 760 } },
  { look: 'phone', colorScheme: 'light', viewport: { width: 390, height: 780 }, isMobile: true },
] as const

const folder = mkdtempSync(join(tmpdir(), 'millrace-pictures-'))
const env = { DB_PATH: join(folder, 'queue.db'), PORT: '0', LOG_LEVEL: 'silent' }
const pageFolder = join(folder, 'page')
await build({
  root: CLIENT,
  configFile: join(CLIENT, 'vite.config.ts'),
  build: { outDir: pageFolder },
  logLevel: 'error',
})
const serving = await serve({
  config: readConfig(env),
  server: readServerConfig(env),
  log: openLog('silent'),
  pageFolder,
  onFatal: (error) => {
    throw error
  },
})
const browser = await launchChromium()
try {
  const told = await fillSample(serving.engine)
  const pages = {
    overview: '',
    jobs: 'jobs',
    table: 'jobs?view=table&q=status:failed',
    job: `jobs/${told}`,
    failures: 'failures',
    types: 'types',
    workers: 'workers',
    new: 'new?type=send_email',
    settings: 'settings',
  }
  for (const { look, ...options } of LOOKS) {
    const context = await browser.newContext({
      ...options,
      deviceScaleFactor: look === 'phone' ? 2 : 1.5,
      reducedMotion: 'reduce',
    })
    const page = await context.newPage()
    for (const [name, path] of Object.entries(pages)) {
      await page.goto(`http://127.0.0.1:${serving.address.port}/${path}`)
      await page.waitForSelector('[data-connection=live]')
      // Everything has been read; the event stream itself never ends.
      await page.waitForTimeout(2_500)
      await page.screenshot({ path: join(IMAGES, `${name}-${look}.png`) })
    }
    await context.close()
  }
} finally {
  await browser.close()
  await serving.close()
  rmSync(folder, { recursive: true, force: true })
}
