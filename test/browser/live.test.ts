/** Dashboard in a real browser: changes of the queue appear without a reload. */
import type { Page } from 'playwright-core'
import { expect, it, vi } from 'vitest'
import { add, addMany, take } from '../support/engine.ts'
import { postgres } from '../support/places.ts'
import { cuttable } from '../support/proxies/cuttable.ts'
import { call, describeServer, type StartServer } from '../support/server.ts'
import { shareDashboard } from './support/browser.ts'

const LIVE = '[data-testid=connection-state][data-connection=live]'
/** Shorter than the poll interval, so only a push can pass. */
const PUSHED = { timeout: 10_000 }
const row = (id: string, status = '') => `[data-job-id="${id}"]${status && `[data-job-status=${status}]`}`
const count = (page: Page, status: string) => page.locator(`dd[data-status=${status}]`).textContent()

vi.setConfig({ testTimeout: 60_000 })

const dashboard = shareDashboard()

/** Starts a server that serves the dashboard. */
const withPage =
  (startServer: StartServer): StartServer =>
  (settings, options = {}) =>
    startServer(settings, { pageFolder: dashboard.folder, ...options })

describeServer('the dashboard', (startServer) => {
  const start = withPage(startServer)

  it('shows a job enqueued over HTTP and follows it to its end without a reload', async () => {
    const server = await start()
    const { page, problems } = await dashboard.open(server.url)
    await page.waitForSelector(LIVE)
    await page.waitForSelector('text=No jobs yet')
    await page.evaluate(() => Reflect.set(window, 'notReloaded', true))
    const { body } = await call(server, 'enqueue', 'mutation', {
      type: 'welcome_mail',
      payload: { to: 'ada@example.com' },
    })
    const id = /"id":"([^"]+)"/.exec(JSON.stringify(body))?.[1] ?? ''
    await page.waitForSelector(row(id, 'pending'))
    expect(await count(page, 'pending')).toBe('1')
    const job = await take(server.engine)
    await page.waitForSelector(row(id, 'processing'))
    await server.engine.complete({ id, version: job.version })
    await page.waitForSelector(row(id, 'completed'))
    await page.waitForFunction(() => document.querySelector('dd[data-status=completed]')?.textContent === '1')
    expect([await count(page, 'pending'), await count(page, 'processing')]).toEqual(['0', '0'])
    expect(await page.evaluate(() => Reflect.get(window, 'notReloaded'))).toBe(true)
    expect(problems).toEqual([])
  })

  it('shows a job that was enqueued while the first read was under way', async () => {
    const server = await start()
    const { page } = await dashboard.open('about:blank')
    const reads = await holdNextRead(page)
    await page.goto(server.url)
    await reads.answered
    const id = await add(server.engine)
    await page.waitForFunction(() => document.querySelector('dd[data-status=pending]')?.textContent === '1')
    reads.letGo()
    await page.waitForSelector(row(id, 'pending'), PUSHED)
    expect(await page.locator('[data-job-id]').count()).toBe(1)
  })

  it('shows a job that arrives after the empty state has replaced a list that was being read', async () => {
    const server = await start()
    const old = await add(server.engine)
    const { page } = await dashboard.open(server.url)
    await page.waitForSelector(LIVE)
    await page.waitForSelector(row(old, 'pending'))
    const reads = await holdNextRead(page)
    await server.engine.cancel({ id: old })
    await reads.answered
    await server.engine.remove({ id: old })
    await page.waitForSelector('text=No jobs yet')
    const id = await add(server.engine)
    await page.waitForFunction(() => document.querySelector('dd[data-status=pending]')?.textContent === '1')
    reads.letGo()
    await page.waitForSelector(row(id, 'pending'), PUSHED)
    expect(await page.locator('[data-job-id]').count()).toBe(1)
  })

  it('offers a curl line for the first job that can be copied and run', async () => {
    const server = await start()
    const { page } = await dashboard.open(server.url)
    const line = (await page.locator('pre', { hasText: 'curl' }).textContent()) ?? ''
    const [, url = '', body = ''] =
      /curl -X POST (\S+) -H 'content-type: application\/json' -d '([^']+)'/.exec(line) ?? []
    expect(url).toBe(`${server.url}/trpc/enqueue`)
    const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    expect(answer.status).toBe(200)
    await page.waitForSelector('[data-job-id]')
    expect(await page.locator('[data-job-id]').count()).toBe(1)
  })

  it('shows a lost connection, and catches up after reconnecting', async () => {
    const first = await start()
    const line = await cuttable(first.address.port)
    const before = await add(first.engine)
    const { page } = await dashboard.open(line.url)
    await page.waitForSelector(`${row(before, 'pending')}`)
    await first.close()
    await page.waitForSelector('[data-connection=reconnecting]')
    await page.waitForSelector(row(before))
    const second = await start({}, { place: first.place })
    const missed = await add(second.engine)
    await second.engine.cancel({ id: before })
    line.lead(second.address.port)
    await page.waitForSelector(LIVE)
    await page.waitForSelector(row(missed, 'pending'))
    await page.waitForSelector(row(before, 'cancelled'))
    expect(await count(page, 'cancelled')).toBe('1')
  })

  it('keeps rows in place while scrolled down, and shows new jobs on request', async () => {
    const server = await start()
    const first = await addMany(server.engine, 110)
    const { page } = await dashboard.open(server.url, { viewport: { width: 1_000, height: 400 } })
    const newest = row(first.at(-1) ?? '')
    await page.waitForSelector(newest)
    await page.mouse.wheel(0, 300)
    await page.waitForFunction(() => window.scrollY > 100)
    const place = await page.locator(newest).boundingBox()
    await addMany(server.engine, 3)
    await page.waitForSelector('[data-testid=new-jobs]:has-text("3 new")')
    expect(await page.locator(newest).boundingBox()).toEqual(place)
    await page.click('[data-testid=new-jobs]')
    await page.waitForFunction(() => document.querySelectorAll('[data-testid=new-jobs]').length === 0)
    expect(await page.locator('[data-job-id]').count()).toBe(100)
  })

  it('moves no row under the pointer, and nothing when numbers grow', async () => {
    const server = await start()
    const first = await addMany(server.engine, 5)
    const { page } = await dashboard.open('about:blank', { viewport: { width: 1_440, height: 1_400 } })
    const grown = await growNumbers(page)
    await page.goto(server.url)
    const oldest = row(first[0] ?? '')
    await page.hover(oldest)
    const place = await page.locator(oldest).boundingBox()
    await addMany(server.engine, 3)
    await page.waitForSelector('[data-testid=new-jobs]:has-text("3 new")')
    expect(await page.locator(oldest).boundingBox()).toEqual(place)
    await page.mouse.move(0, 0)
    await page.waitForFunction(() => document.querySelectorAll('[data-job-id]').length === 8)

    const chartTops = async () => {
      const tops: (number | undefined)[] = []
      for (const width of [390, 640, 768, 1_024, 1_440]) {
        await page.setViewportSize({ width, height: 1_400 })
        tops.push((await page.locator('figure svg').first().boundingBox())?.y)
      }
      return tops
    }
    const before = await chartTops()
    grown.begin()
    await add(server.engine)
    await page.getByText('1,234,567').first().waitFor()
    expect(await chartTops()).toEqual(before)
  })

  it('works below a base path', async () => {
    const server = await start({ BASE_PATH: '/tools/queue' })
    const id = await add(server.engine)
    for (const url of [server.url, `${server.url}/`]) {
      const { page, problems } = await dashboard.open(url)
      await page.waitForSelector(LIVE)
      await page.waitForSelector(row(id, 'pending'))
      expect(problems).toEqual([])
    }
  })

  it('shows the sign-in form when the server requires a token', async () => {
    const server = await start({ AUTH_TOKEN: 'a-secret' })
    await add(server.engine, { type: 'hidden-job' })
    const { page, problems } = await dashboard.open(server.url)
    await page.waitForSelector('text=This server requires a token')
    expect(await page.content()).not.toContain('hidden-job')
    expect(await page.locator('[data-testid=connection-state]').textContent()).toBe('Not signed in')
    expect(problems).toEqual([])
  })

  it('warns about reduced durability', async () => {
    const server = await start({ DURABILITY: 'normal' })
    const { page } = await dashboard.open(server.url)
    await page.waitForSelector('text=power loss')
    expect(await page.locator('[data-testid=server-warning]').count()).toBe(1)
  })

  it.each([
    ['light', 1_280],
    ['dark', 1_280],
    ['light', 390],
    ['dark', 390],
  ] as const)('fits in %s at %i px, with nothing cut off sideways', async (colorScheme, width) => {
    const server = await start()
    await add(server.engine, { type: 'a-type-with-a-name-that-is-much-longer-than-any-column-of-the-list-is-wide' })
    const failed = await take(server.engine)
    const error = `Error: ${'a long message '.repeat(30)}`
    await server.engine.fail({ id: failed.id, version: failed.version, error, retry: false })
    const { page, problems } = await dashboard.open(server.url, { colorScheme, viewport: { width, height: 800 } })
    await page.waitForSelector(row(failed.id, 'failed'))
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0)
    expect(await brightness(page)).toBe(colorScheme)
    expect(problems).toEqual([])
  })
})

describeServer(
  'the dashboard of one node',
  (startServer) => {
    const start = withPage(startServer)

    it('follows a job that another node enqueues and completes, without a reload', async () => {
      const node = await start()
      const other = await startServer({}, { place: node.place })
      const { page, problems } = await dashboard.open(node.url)
      await page.waitForSelector(LIVE)
      await page.waitForSelector('text=No jobs yet')
      await page.evaluate(() => Reflect.set(window, 'notReloaded', true))
      const id = await add(other.engine)
      await page.waitForSelector(row(id, 'pending'), PUSHED)
      const { version } = await take(other.engine)
      await page.waitForSelector(row(id, 'processing'), PUSHED)
      await other.engine.complete({ id, version })
      await page.waitForSelector(row(id, 'completed'), PUSHED)
      await page.waitForFunction(() => document.querySelector('dd[data-status=completed]')?.textContent === '1')
      expect([await count(page, 'pending'), await count(page, 'processing')]).toEqual(['0', '0'])
      expect(await page.evaluate(() => Reflect.get(window, 'notReloaded'))).toBe(true)
      expect(problems).toEqual([])
    })

    it('keeps working after the node that ran the job stops', async () => {
      const node = await start()
      const other = await startServer({}, { place: node.place })
      const { page } = await dashboard.open(node.url)
      await page.waitForSelector(LIVE)
      await page.waitForSelector('text=No jobs yet')
      const id = await add(other.engine)
      await page.waitForSelector(row(id, 'pending'), PUSHED)
      await other.close()
      await node.engine.cancel({ id })
      await page.waitForSelector(row(id, 'cancelled'), PUSHED)
      expect([await count(page, 'cancelled'), await page.locator(LIVE).count()]).toEqual(['1', 1])
    })
  },
  [postgres],
)

/** Holds back the response of the next read of the list until `letGo`. */
async function holdNextRead(page: Page) {
  let [letGo, onAnswered] = [() => {}, () => {}]
  const held = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const answered = new Promise<void>((resolve) => {
    onAnswered = resolve
  })
  let isFirst = true
  // Not `times: 1`: a request that starts while Playwright removes the route may never be sent.
  await page.route(/\/trpc\/([^?]*,)?list\b/, async (route) => {
    if (!isFirst) return route.continue()
    isFirst = false
    const response = await route.fetch()
    onAnswered()
    await held
    await route.fulfill({ response })
  })
  return { answered, letGo }
}

/** Brightness of the page background, in any colour space. */
function brightness(page: Page): Promise<'light' | 'dark'> {
  return page.evaluate(() => {
    const canvas = document.createElement('canvas').getContext('2d')
    if (!canvas) throw new Error('this browser cannot draw')
    canvas.fillStyle = getComputedStyle(document.body).backgroundColor
    canvas.fillRect(0, 0, 1, 1)
    return (canvas.getImageData(0, 0, 1, 1).data[0] ?? 0) > 127 ? 'light' : 'dark'
  })
}

/** After `begin`, the flow line and the chart receive the largest possible numbers. */
async function growNumbers(page: Page): Promise<{ begin(): void }> {
  let isLarge = false
  await page.route(/\/trpc\/[^?]*(stats|history)/, async (route) => {
    const response = await route.fetch()
    if (!isLarge) return route.fulfill({ response })
    const text = (await response.text())
      .replace(/"(enqueued|completed|failed)":\d+(?=[,}])/g, '"$1":1234567')
      .replace(/"(p50|p95|p99)":(\d+(\.\d+)?|null)/g, '"$1":86340000')
      .replace(/"(oldestReadyMs|ms)":\d+/g, '"$1":86340000')
    return route.fulfill({ response, body: text })
  })
  return {
    begin() {
      isLarge = true
    },
  }
}
