/** Takes pictures of every page of a real server, light, dark and on a phone: `npm run screenshots`. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { launchChromium } from '../../support/chromium.ts'
import { beat, fillDay } from './sample-day.ts'
import { servePage } from './serve-page.ts'

const IMAGES = process.env.IMAGES ?? fileURLToPath(new URL('../../../docs/images', import.meta.url))

const LOOKS = [
  { look: 'light', colorScheme: 'light', viewport: { width: 1_200, height: 760 } },
  { look: 'dark', colorScheme: 'dark', viewport: { width: 1_200, height: 760 } },
  { look: 'phone', colorScheme: 'light', viewport: { width: 390, height: 780 }, isMobile: true },
] as const

let told = ''
const serving = await servePage(async (file) => {
  told = await fillDay(file)
})
const browser = await launchChromium()
try {
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
      await beat(serving.engine)
      await page.goto(`${serving.url}/${path}`)
      await page.waitForSelector('[data-connection=live]')
      await page.waitForFunction(() => !document.querySelector('[aria-busy=true]'))
      // Everything has been drawn; the event stream itself never ends.
      await page.waitForTimeout(1_000)
      await page.screenshot({ path: join(IMAGES, `${name}-${look}.png`) })
    }
    await context.close()
  }
} finally {
  await browser.close()
  await serving.close()
}
