/** The dashboard over a million jobs: first paint, filters, and what claims feel of it. `npm run bench:dashboard`. */
import type { Page } from 'playwright-core'
import { MIXED } from '../../bench/crowd.ts'
import { fill } from '../../bench/fill.ts'
import type { Engine } from '../../server/engine/engine.ts'
import { launchChromium } from '../support/chromium.ts'
import { servePage } from './serve-page.ts'

const JOBS = Number(process.env.BENCH_JOBS ?? 1_000_000)
const ROUNDS = 5
const CLAIMS = 400

const serving = await servePage((file) => fill(file, MIXED, JOBS))
const { url } = serving
const browser = await launchChromium()

try {
  console.log(`${JOBS.toLocaleString('en-US')} jobs; medians of ${ROUNDS}, in ms`)
  for (const [name, path, ready] of [
    ['Overview', '/', '[data-job-id]'],
    ['Jobs', '/jobs', '[data-job-id]'],
    ['Jobs, table', '/jobs?view=table', '[data-job-id]'],
  ] as const) {
    const rounds: [number, number][] = []
    for (let round = 0; round < ROUNDS; round++) rounds.push(await opening(`${url}${path}`, ready))
    console.log(
      `${name}: first paint ${median(rounds.map(([paint]) => paint))}, rows ${median(rounds.map(([, rows]) => rows))}`,
    )
  }
  const page = await newPage()
  await page.goto(`${url}/jobs?view=table`)
  await page.waitForSelector('[data-job-id]')
  const filters: number[] = []
  for (const [status, type] of [
    ['failed', 'type-3'],
    ['completed', 'type-1'],
    ['pending', 'type-2'],
    ['failed', 'type-5'],
  ]) {
    const asked = page.waitForResponse(
      (response) => response.url().includes('/trpc/') && response.url().includes('list'),
    )
    const startedAt = performance.now()
    await page.fill('input[type=search], [role=combobox]', `type:${type} status:${status}`)
    await page.keyboard.press('Enter')
    await asked
    filters.push(performance.now() - startedAt)
  }
  console.log(`type + status filter, from the key to the answer: ${filters.map(Math.round).join(', ')}`)

  const alone = await claimTimes(serving.engine)
  let isBrowsing = true
  const browsing = (async () => {
    while (isBrowsing) {
      await page.goto(`${url}/`)
      await page.goto(`${url}/jobs`)
      await page.goto(`${url}/jobs?view=table&q=status:failed`)
    }
  })()
  const beside = await claimTimes(serving.engine)
  isBrowsing = false
  await browsing
  console.log(`claim p50 / p99: alone ${alone.join(' / ')}, while somebody browses ${beside.join(' / ')}`)
} finally {
  await browser.close()
  await serving.close()
}

async function newPage(): Promise<Page> {
  return (await browser.newContext({ viewport: { width: 1_200, height: 800 } })).newPage()
}

async function opening(address: string, ready: string): Promise<[paint: number, rows: number]> {
  const page = await newPage()
  const startedAt = performance.now()
  await page.goto(address)
  await page.waitForSelector(ready)
  const rows = performance.now() - startedAt
  const paint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0)
  await page.context().close()
  return [paint, rows]
}

async function claimTimes(engine: Engine): Promise<[string, string]> {
  const times: number[] = []
  for (let n = 0; n < CLAIMS; n++) {
    const startedAt = performance.now()
    const [job] = await engine.claim({ worker: 'bench' })
    times.push(performance.now() - startedAt)
    if (job) await engine.complete({ id: job.id, version: job.version })
  }
  times.sort((a, b) => a - b)
  return [times[CLAIMS >> 1]?.toFixed(2) ?? '', times[Math.floor(CLAIMS * 0.99)]?.toFixed(2) ?? '']
}

function median(values: readonly number[]): number {
  return Math.round(values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0)
}
