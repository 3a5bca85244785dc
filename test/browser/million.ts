/** The dashboard over a million jobs: first paint, filters, and what claims feel of it. `npm run bench:dashboard`. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { z } from 'zod'
import { launchChromium } from '../support/chromium.ts'

const JOBS = Number(process.env.BENCH_JOBS ?? 1_000_000)
const ROUNDS = 5
const CLAIMS = 2_000
const SERVER = fileURLToPath(new URL('./million-server.ts', import.meta.url))

const { server, url } = await start(JOBS)
const elsewhere = await start(1_000)
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

  const alone = await claimTimes()
  const noise = await claimTimesWhileBrowsing(elsewhere.url)
  const beside = await claimTimesWhileBrowsing(url)
  console.log(`claim p50 / p99 of ${CLAIMS.toLocaleString('en-US')}, and its p99 against the one alone:`)
  console.log(`  alone ${told(alone)}`)
  console.log(`  while a browser loads page after page of another server ${told(noise, alone)}`)
  console.log(`  while it does so here ${told(beside, alone)}`)

  /** As fast as it can: nobody reads that fast. */
  async function claimTimesWhileBrowsing(where: string): Promise<Times> {
    let isBrowsing = true
    const browsing = (async () => {
      while (isBrowsing) {
        await page.goto(`${where}/`)
        await page.goto(`${where}/jobs`)
        await page.goto(`${where}/jobs?view=table&q=status:failed`)
      }
    })()
    const times = await claimTimes()
    isBrowsing = false
    await browsing
    return times
  }
} finally {
  await browser.close()
  await Promise.all([server, elsewhere.server].map(end))
}

async function start(jobs: number): Promise<{ server: ChildProcess; url: string }> {
  const child = fork(SERVER, [String(jobs)])
  const [said] = await once(child, 'message')
  return { server: child, url: z.string().parse(said) }
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.disconnect()
  await ended
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

interface Times {
  readonly p50: number
  readonly p99: number
}

async function claimTimes(): Promise<Times> {
  server.send(CLAIMS)
  const times = z.array(z.number()).parse((await once(server, 'message'))[0])
  const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99) }
}

function told({ p50, p99 }: Times, base?: Times): string {
  return `${p50.toFixed(2)} / ${p99.toFixed(2)} ms${base ? `, ${(p99 / base.p99).toFixed(2)} ×` : ''}`
}

function median(values: readonly number[]): number {
  return Math.round(values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0)
}
