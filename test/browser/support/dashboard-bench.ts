/** Dashboard benchmark with a million jobs: first paint, filters, effect on claims. `npm run bench:dashboard`. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { constants, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Page, Request } from 'playwright-core'
import { z } from 'zod'
import { launchChromium } from '../../support/programs/chromium.ts'

const JOBS = Number(process.env.BENCH_JOBS ?? 1_000_000)
const ROUNDS = 5
const CLAIMS = 2_000
const CLAIM_ROUNDS = 4
/** Faster than a person reads. */
const PAGE_EVERY_MS = 250
const PAGES = ['/', '/jobs', '/jobs?view=table&q=status:failed']
const SERVER = fileURLToPath(new URL('./dashboard-bench-server.ts', import.meta.url))

const { server, url } = await start(JOBS)
// Operators use another machine. The browser inherits this priority and gets only spare CPU time.
setPriority(constants.priority.PRIORITY_LOW)
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
    const responded = page.waitForResponse(
      (response) => response.url().includes('/trpc/') && response.url().includes('list'),
    )
    const startedAt = performance.now()
    await page.fill('input[type=search], [role=combobox]', `type:${type} status:${status}`)
    await page.keyboard.press('Enter')
    await responded
    filters.push(performance.now() - startedAt)
  }
  console.log(`type + status filter, from the key to the answer: ${filters.map(Math.round).join(', ')}`)

  const visits = await Promise.all(PAGES.map(requestsOf))
  const rounds: Record<'alone' | 'requested' | 'shown', Times[]> = { alone: [], requested: [], shown: [] }
  for (let round = 0; round < CLAIM_ROUNDS; round++) {
    rounds.alone.push(await claimTimes())
    rounds.requested.push(await claimTimesWhile((n) => replay(visits[n % visits.length] ?? [])))
    rounds.shown.push(await claimTimesWhile((n) => page.goto(`${url}${PAGES[n % PAGES.length]}`)))
  }
  console.log(
    `claim p50 / p99 of ${CLAIMS.toLocaleString('en-US')}, ${CLAIM_ROUNDS} rounds, and p99 against the one alone:`,
  )
  console.log(`  alone: ${formatTimes(rounds.alone)}`)
  console.log(
    `  while four pages a second are requested, as by a browser on another machine: ${formatTimes(rounds.requested)}`,
  )
  console.log(
    `  while a browser on this machine, which takes most of its CPU, loads page after page: ${formatTimes(rounds.shown)}`,
  )

  function formatTimes(times: readonly Times[]): string {
    const each = times.map((one) => `${at(one, 0.5).toFixed(2)} / ${at(one, 0.99).toFixed(2)}`)
    return `${each.join(', ')} ms; ${(p99Of(times) / p99Of(rounds.alone)).toFixed(2)} ×`
  }
} finally {
  await browser.close()
  await end(server)
}

async function start(jobs: number): Promise<{ server: ChildProcess; url: string }> {
  const child = fork(SERVER, [String(jobs)])
  const [message] = await once(child, 'message')
  return { server: child, url: z.string().parse(message) }
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

/** Durations of one round in ms, sorted. */
type Times = readonly number[]

async function claimTimes(): Promise<Times> {
  server.send(CLAIMS)
  return z.array(z.number()).parse((await once(server, 'message'))[0])
}

/** Claims while pages are visited one after the other. */
async function claimTimesWhile(visit: (n: number) => Promise<unknown>): Promise<Times> {
  let isGoing = true
  const visiting = (async () => {
    for (let n = 0; isGoing; n++) await visit(n)
  })()
  const times = await claimTimes()
  isGoing = false
  await visiting
  return times
}

/** Requests of a browser that opens a page with cached files. */
async function requestsOf(path: string): Promise<readonly Request[]> {
  const page = await newPage()
  await page.goto(`${url}${path}`)
  await page.waitForSelector('[data-job-id]')
  const requests: Request[] = []
  page.on('request', (request) => requests.push(request))
  await page.reload()
  await page.waitForSelector('[data-job-id]')
  await page.waitForTimeout(PAGE_EVERY_MS)
  await page.context().close()
  return requests.filter((request) => !request.url().includes('/assets/'))
}

/** Sends all requests at once, as the browser did, and closes the event stream when the page is left. */
async function replay(requests: readonly Request[]): Promise<void> {
  const left = AbortSignal.timeout(PAGE_EVERY_MS)
  const answered = requests.map(async (request) => {
    const isStream = request.url().includes('/trpc/events')
    const { method, headers, body } = { method: request.method(), headers: request.headers(), body: request.postData() }
    const answer = await fetch(request.url(), { method, headers, body, signal: isStream ? left : null })
    if (!answer.ok) throw new Error(`${answer.status} for ${request.url()}`)
    // The stream ends by being aborted.
    await answer.arrayBuffer().catch(() => {})
  })
  await Promise.all([...answered, once(left, 'abort')])
}

function at(times: Times, share: number): number {
  return times[Math.floor(times.length * share)] ?? Number.NaN
}

function p99Of(rounds: readonly Times[]): number {
  return at(
    rounds.flat().sort((a, b) => a - b),
    0.99,
  )
}

function median(values: readonly number[]): number {
  return Math.round(values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0)
}
