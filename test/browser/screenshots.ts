/** Takes the README's pictures of a real server with jobs in every state: `npm run screenshots`. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { readConfig } from '../../server/config.ts'
import type { Engine } from '../../server/engine/engine.ts'
import { openLog } from '../../server/log.ts'
import { serve } from '../../server/serve.ts'
import { readServerConfig } from '../../server/server-config.ts'
import { launchChromium } from '../support/chromium.ts'

const CLIENT = fileURLToPath(new URL('../../client', import.meta.url))
const IMAGES = fileURLToPath(new URL('../../docs/images', import.meta.url))
const TYPES = ['send_email', 'resize_image', 'charge_card', 'sync_crm', 'nightly_report', 'deliver_webhook']

const PICTURES = [
  { name: 'overview-light', colorScheme: 'light', viewport: { width: 1_200, height: 760 }, deviceScaleFactor: 2 },
  { name: 'overview-dark', colorScheme: 'dark', viewport: { width: 1_200, height: 760 }, deviceScaleFactor: 2 },
  {
    name: 'overview-phone',
    colorScheme: 'light',
    viewport: { width: 390, height: 780 },
    deviceScaleFactor: 2,
    isMobile: true,
  },
] as const

/** What becomes of the newest jobs, oldest first; before them many were completed. */
const ENDS = [
  ...Array.from({ length: 240 }, () => 'complete'),
  ...[
    'fail',
    'complete',
    'cancel',
    'retry',
    'complete',
    'later',
    'complete',
    'fail',
    'run',
    'complete',
    'retry',
    'run',
  ],
  ...['wait', 'later', 'wait', 'wait'],
] as const

async function fill(engine: Engine): Promise<void> {
  for (const [n, end] of ENDS.entries()) {
    const type = TYPES[(n * 7) % TYPES.length] ?? 'send_email'
    const delayMs = end === 'later' ? n * 9_000 : 0
    const { id } = await engine.enqueue({ type, payload: { n }, maxAttempts: 5, delayMs })
    if (end === 'cancel') await engine.cancel({ id })
    if (end === 'cancel' || end === 'later' || end === 'wait') continue
    const [job] = await engine.claim({ worker: `worker-${(n % 3) + 1}`, leaseMs: 60_000 })
    const version = job?.version ?? 0
    if (end === 'run') await engine.progress({ id, version, progress: (n * 29) % 100 })
    if (end === 'complete') await engine.complete({ id, version })
    if (end === 'fail') await engine.fail({ id, version, error: 'SMTP 550 5.1.1 mailbox unavailable', retry: false })
    if (end === 'retry') await engine.fail({ id, version, error: 'connect ECONNREFUSED 10.0.3.17:5432' })
  }
}

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
  await fill(serving.engine)
  for (const { name, ...options } of PICTURES) {
    const page = await (await browser.newContext({ ...options, reducedMotion: 'reduce' })).newPage()
    await page.goto(`http://127.0.0.1:${serving.address.port}/`)
    await page.waitForSelector('[data-connection=live]')
    await page.waitForSelector('[data-job-id]')
    await page.screenshot({ path: join(IMAGES, `${name}.png`) })
  }
} finally {
  await browser.close()
  await serving.close()
  rmSync(folder, { recursive: true, force: true })
}
