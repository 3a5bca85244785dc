/** Takes screenshots of every page, light, dark and on a phone: `npm run screenshots`. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { launchChromium } from '../../support/programs/chromium.ts'
import { beat, fillDay } from './sample-day.ts'
import { runSchedules } from './sample-schedules.ts'
import { servePage } from './serve-page.ts'

const IMAGES = process.env.IMAGES ?? fileURLToPath(new URL('../../../docs/images', import.meta.url))

const VARIANTS = [
  { variant: 'light', colorScheme: 'light', viewport: { width: 1_200, height: 760 } },
  { variant: 'dark', colorScheme: 'dark', viewport: { width: 1_200, height: 760 } },
  { variant: 'phone', colorScheme: 'light', viewport: { width: 390, height: 780 }, isMobile: true },
] as const

let jobId = ''
const serving = await servePage(async (file) => {
  jobId = await fillDay(file)
})
await runSchedules(serving.engine)
const browser = await launchChromium()
try {
  const pages = {
    overview: '',
    jobs: 'jobs',
    table: 'jobs?view=table&q=status:failed',
    job: `jobs/${jobId}`,
    failures: 'failures',
    types: 'types',
    groups: 'groups',
    group: 'groups?group=sync_tenant',
    schedules: 'schedules',
    schedule: 'schedules?schedule=nightly-report',
    workers: 'workers',
    new: 'new?type=send_email',
    settings: 'settings',
  }
  for (const { variant, ...options } of VARIANTS) {
    const context = await browser.newContext({
      ...options,
      deviceScaleFactor: variant === 'phone' ? 2 : 1.5,
      reducedMotion: 'reduce',
    })
    const page = await context.newPage()
    for (const [name, path] of Object.entries(pages)) {
      await beat(serving.engine)
      await page.goto(`${serving.url}/${path}`)
      await page.waitForSelector('[data-connection=live]')
      await page.waitForFunction(() => !document.querySelector('[aria-busy=true]'))
      // The event stream never ends, so wait a fixed time for rendering.
      await page.waitForTimeout(1_000)
      await page.screenshot({ path: join(IMAGES, `${name}-${variant}.png`) })
    }
    await context.close()
  }
} finally {
  await browser.close()
  await serving.close()
}
