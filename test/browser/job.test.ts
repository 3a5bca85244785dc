/** The page of one job in a real browser: its story, log, progress and acts, live; and payloads of any kind. */
import type { Page } from 'playwright-core'
import { expect, it, vi } from 'vitest'
import { setAsideError } from '../../shared/lifecycle.ts'
import { add, held, take, until } from '../support/engine.ts'
import { sqlite } from '../support/places.ts'
import { startOn, type TestServer } from '../support/server.ts'
import { shareDashboard, type Tab } from './support/browser.ts'

const LIVE = '[data-testid=connection-state][data-connection=live]'
/** Sooner than the page would look by itself. */
const PUSHED = { timeout: 8_000 }

vi.setConfig({ testTimeout: 60_000 })

const dashboard = shareDashboard()
const start = () => startOn(sqlite)({}, { pageFolder: dashboard.folder })

async function openJob(server: TestServer, id: string): Promise<Tab> {
  const tab = await dashboard.open(`${server.url}/jobs/${id}`)
  await tab.page.waitForSelector(LIVE)
  await tab.page.waitForSelector('[data-testid=job-status]')
  return tab
}

const hasStatus = (page: Page, status: string) =>
  page.waitForSelector(`[data-testid=job-status][data-status=${status}]`)
const hasReason = (page: Page, reason: string) =>
  page.waitForSelector(`[data-testid=explain][data-reason=${reason}]`, PUSHED)

it('tells how a job failed twice, was started over and completed, as it happens', async () => {
  const server = await start()
  const { engine } = server
  const error = `Error: no route to host\n${'    at connect (net.ts:1:2)\n'.repeat(20)}`
  const { id, version } = await held(engine, { backoff: { kind: 'fixed', baseMs: 0 } }, { worker: 'worker-a' })
  const { page, problems } = await openJob(server, id)
  const story = page.getByTestId('story')
  await story.locator('[data-outcome=running]').waitFor()
  await engine.fail({ id, version, error, exitCode: 7 })
  await story.locator('[data-outcome=failed]').waitFor()
  const second = await take(engine, { worker: 'worker-b' })
  await engine.fail({ id, version: second.version, error: 'gave up', retry: false })
  await hasStatus(page, 'failed')
  await page.getByRole('button', { name: 'Retry' }).click()
  await story.getByText('started it over').waitFor()
  const third = await take(engine, { worker: 'worker-c' })
  await engine.complete({ id, version: third.version, result: { sent: 3 } })
  await story.locator('[data-outcome=completed]').waitFor()
  const told = await story.locator('li').allTextContents()
  expect(told).toEqual([
    expect.stringContaining('Enqueued'),
    expect.stringMatching(/^Attempt 1failed.*worker-awaited .*ran .*exit code 7/),
    expect.stringMatching(/^Attempt 2failed.*worker-b.*the last one.*gave up/),
    expect.stringContaining('started it over'),
    expect.stringMatching(/^Attempt 3completed.*worker-c/),
  ])
  const traces = async () => (await story.getByTestId('error').first().textContent())?.split('net.ts').length
  expect(await traces()).toBe(3)
  await story.getByRole('button', { name: /Show all \d+ lines/ }).click()
  expect(await traces()).toBe(21)
  expect(await page.getByTestId('json-result').textContent()).toContain('sent')
  expect(problems).toEqual([])
})

it('follows the log until one scrolls up, then counts what came, and stays smooth with ten thousand lines', async () => {
  const server = await start()
  const { engine } = server
  const { id, version } = await held(engine)
  const write = (from: number, count: number) =>
    engine.log({
      id,
      version,
      lines: Array.from({ length: count }, (_, n) => ({
        line: `line ${from + n}`,
        stream: n % 2 ? ('stderr' as const) : ('stdout' as const),
      })),
    })
  await write(0, 100)
  const { page, problems } = await openJob(server, id)
  const log = page.getByTestId('log')
  await log.getByText('line 99', { exact: true }).waitFor()
  for (let from = 100; from < 10_000; from += 900) {
    await Promise.all(Array.from({ length: 9 }, (_, n) => write(from + n * 100, 100)))
    // The queue keeps the last thousand of an attempt; the page keeps what it has read.
    await page.getByText(`${(from + 900).toLocaleString('en')} lines`).waitFor()
  }
  await log.getByText('line 9999', { exact: true }).waitFor()
  expect(await log.locator('[data-stream]').count()).toBeLessThan(150)
  expect(await log.getAttribute('data-following')).toBe('true')

  await log.hover()
  await page.mouse.wheel(0, -500)
  await page.waitForSelector('[data-testid=log][data-following=false]')
  const top = await log.evaluate((element) => element.scrollTop)
  await write(10_000, 5)
  await page.getByRole('button', { name: 'Follow · 5 new' }).waitFor()
  expect(await log.evaluate((element) => element.scrollTop)).toBe(top)
  await log.evaluate((element) => element.scrollTo({ top: 0 }))
  await log.getByText('line 0', { exact: true }).waitFor()
  expect(await log.locator('[data-stream]').count()).toBeLessThan(150)
  await page.getByRole('button', { name: 'Follow · 5 new' }).click()
  await log.getByText('line 10004', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Pause' }).click()
  await write(10_005, 1)
  await page.getByRole('button', { name: 'Follow · 1 new' }).waitFor()
  expect(problems).toEqual([])
})

it('moves the progress, and shows a cancelled job as asked to stop until its handler has stopped', async () => {
  const server = await start()
  const { engine } = server
  const { id, version } = await held(engine)
  const { page, problems } = await openJob(server, id)
  await hasReason(page, 'processing')
  for (const progress of [20, 65]) {
    await engine.progress({ id, version, progress })
    await page
      .getByTestId('progress')
      .filter({ hasText: `${progress}%` })
      .waitFor()
  }
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('asked to stop', { exact: true }).waitFor()
  await hasReason(page, 'cancelling')
  expect(await page.getByRole('button', { name: 'Cancel' }).count()).toBe(0)
  await until(async () => (await engine.get({ id })).cancelRequestedAt !== null)
  await hasStatus(page, 'processing')
  await engine.fail({ id, version, error: 'stopped on request' })
  await hasStatus(page, 'cancelled')
  expect(await page.getByText('asked to stop', { exact: true }).count()).toBe(0)
  expect(problems).toEqual([])
})

it('explains anew when the type is paused and when the queue is', async () => {
  const server = await start()
  const id = await add(server.engine)
  const { page, problems } = await openJob(server, id)
  await hasReason(page, 'no_worker')
  await server.engine.pauseType({ name: 'mail' })
  await hasReason(page, 'type_paused')
  expect(await page.getByTestId('explain').textContent()).toBe('Type mail is paused; resume it. See type mail')
  await server.engine.pause()
  await hasReason(page, 'queue_paused')
  expect(problems).toEqual([])
})

it('takes back in words what the server refused, and offers only what the state allows', async () => {
  const server = await start()
  const { engine } = server
  const id = await add(engine, { delayMs: 3_600_000 })
  const { page, problems } = await openJob(server, id)
  const acts = () => page.locator('main header').getByRole('button').allTextContents()
  expect((await acts()).filter((name) => !name.includes(id))).toEqual(['Run now', 'Cancel', 'Delete'])
  await page.route(/\/trpc\/runNow/, (route) =>
    route.fulfill({
      status: 409,
      contentType: 'application/json',
      body: JSON.stringify([{ error: { message: 'no, not now', code: -32009, data: { httpStatus: 409 } } }]),
    }),
  )
  // The guess is taken back by itself, not by reading the job again.
  await page.route(/\/trpc\/[^?]*\bget\b/, (route) => route.abort())
  await page.getByRole('button', { name: 'Run now' }).click()
  await page.getByTestId('toast').filter({ hasText: 'no, not now' }).waitFor()
  await hasStatus(page, 'scheduled')
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Run now' }).click()
  await hasStatus(page, 'pending')
  expect((await engine.get({ id })).status).toBe('pending')
  expect(problems).toEqual([])
})

it('deletes after asking, and says of a job that is gone that it is', async () => {
  const server = await start()
  const { engine } = server
  const [mine, theirs] = [await add(engine), await add(engine)]
  const { page, problems } = await openJob(server, mine)
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Keep it' }).click()
  expect((await engine.get({ id: mine })).status).toBe('pending')
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete it' }).click()
  await page.getByTestId('toast').filter({ hasText: 'Deleted' }).waitFor()
  await page.waitForURL(`${server.url}/jobs`)
  const other = await openJob(server, theirs)
  await engine.remove({ id: theirs })
  await other.page.getByText('This mail job is gone').waitFor()
  for (const id of [mine, 'no-id-at-all']) {
    await other.page.goto(`${server.url}/jobs/${id}`)
    await other.page.getByText('There is no such job').waitFor()
  }
  expect([...problems, ...other.problems]).toEqual([])
})

it('shows what a payload says as text, whatever it says', async () => {
  const server = await start()
  const attack = '"><img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'
  const payload = { [attack]: attack, url: 'javascript:window.hacked=1', long: attack.repeat(10) }
  const { id, version } = await held(server.engine, { type: attack, payload }, { types: [attack], worker: attack })
  await server.engine.log({ id, version, lines: [{ line: attack }] })
  await server.engine.fail({ id, version, error: attack, retry: false })
  const { page, problems } = await openJob(server, id)
  const tree = page.getByTestId('json-payload')
  await tree.getByText('javascript:').waitFor()
  await tree.locator('[aria-expanded=false]').click()
  await page.getByTestId('log').getByText(attack).waitFor()
  await page.getByTestId('error').getByText(attack).waitFor()
  expect(await page.locator('img, main script, main a[href^="javascript"]').count()).toBe(0)
  expect(await page.evaluate(() => Reflect.get(window, 'hacked'))).toBeUndefined()
  expect(problems).toEqual([])
})

it('opens a payload of a mebibyte, finds in it, and draws only what is in view', async () => {
  const server = await start()
  const rows = Array.from({ length: 9_000 }, (_, n) => ({ n, note: `row number ${n} of many`, tags: ['a', 'b', n] }))
  const payload = { rows, text: 'x'.repeat(400_000), needle: { deep: { under: 'a haystack' } } }
  const id = await add(server.engine, { payload })
  const { page, problems } = await openJob(server, id)
  const tree = page.getByTestId('json-payload')
  await tree.getByText('400,000 characters').waitFor()
  await page.getByLabel('Search the payload').fill('number 8765')
  await tree.locator('[data-found]', { hasText: 'row number 8765 of many' }).waitFor()
  await page.getByRole('button', { name: 'Open all' }).click()
  expect(await tree.locator('[role=treeitem]').count()).toBeLessThan(200)

  await page.getByRole('button', { name: 'Close all' }).click()
  await tree.focus()
  await page.keyboard.press('End')
  await page.keyboard.press('ArrowRight')
  await tree.getByText('deep:').waitFor()
  await page.keyboard.press('ArrowLeft')
  await tree.getByText('deep:').waitFor({ state: 'detached' })
  expect(problems).toEqual([])
})

it('is reached from a count on a phone, and leads back to the same table, to its type and to who tried it last', async () => {
  const server = await start()
  const { engine } = server
  const waits = { backoff: { kind: 'fixed', baseMs: 600_000 } } as const
  const { id, version } = await held(engine, waits, { worker: 'import-2' })
  await engine.fail({ id, version, error: 'no' })
  const { page, problems } = await dashboard.open(server.url, { viewport: { width: 390, height: 800 } })
  await page.waitForSelector(LIVE)
  expect(await page.getByRole('link', { name: '1 jobs' }).getAttribute('href')).toBe('/jobs')
  await page.getByRole('link', { name: '1 retrying jobs' }).click()
  const table = /\/jobs\?view=table&q=status%3Aretrying$/
  await page.waitForURL(table)
  const line = page.locator(`[data-job-id="${id}"]`)
  for (const target of [line.getByRole('checkbox'), line.getByRole('link', { name: 'mail' })]) {
    const { width, height } = (await target.boundingBox()) ?? { width: 0, height: 0 }
    expect(Math.min(width, height)).toBeGreaterThanOrEqual(24)
  }
  await line.getByRole('link', { name: 'mail' }).click()

  const facts = page.getByRole('region', { name: 'Facts' })
  await facts.getByText('last: import-2').waitFor()
  expect(await facts.getByRole('link', { name: 'import-2' }).getAttribute('href')).toBe('/workers?open=import-2')
  const title = page.getByRole('heading', { level: 1 }).getByRole('link', { name: 'mail' })
  expect(await title.getAttribute('href')).toBe('/jobs?view=table&q=type%3Amail')
  const story = page.getByTestId('story')
  await story.getByText('was due again in 10 min', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Run now' }).click()
  await hasStatus(page, 'pending')
  // The page says so a moment before the server does.
  await vi.waitFor(async () => expect((await engine.get({ id })).status).toBe('pending'))
  await take(engine, { worker: 'import-3' })
  await story.getByText(/^tried again [\d.]+ m?s later$/).waitFor()
  await facts.getByRole('link', { name: 'import-3' }).waitFor()
  expect(await facts.getByText('last:').count()).toBe(0)

  await page.reload()
  await page.locator('main').getByRole('link', { name: 'Jobs', exact: true }).click()
  await page.waitForURL(table)

  // Seven pages are wider than a phone: the one that is shown is in view.
  await page.locator('body').press('g')
  await page.locator('body').press('s')
  await page.waitForFunction(() => {
    const here = document.querySelector('nav [aria-current=page]')?.getBoundingClientRect()
    return location.pathname === '/settings' && here !== undefined && here.left >= 0 && here.right <= innerWidth
  })
  expect(problems).toEqual([])
})

it('leads to a clone with everything but the dedupe key', async () => {
  const server = await start()
  const { engine } = server
  const payload = { to: 'ada@example.com', list: [1, 2] }
  const id = await add(engine, { payload, priority: 7, maxAttempts: 4, timeoutMs: 90_000, dedupeKey: 'once' })
  const { page, problems } = await openJob(server, id)
  await page.getByRole('link', { name: 'Clone' }).click()
  await page.getByTestId('origin').getByText('once').waitFor()
  const values = await Promise.all(
    ['Type', 'Priority', 'Max attempts', 'Timeout', 'Dedupe key'].map((name) =>
      page.getByRole(name === 'Type' ? 'combobox' : 'textbox', { name }).inputValue(),
    ),
  )
  expect(values).toEqual(['mail', '7', '4', '1m30s', ''])
  await page.getByLabel('Payload as JSON').fill(JSON.stringify({ ...payload, to: 'bob@example.com' }))
  await page.getByRole('button', { name: 'Enqueue', exact: true }).click()
  await page.getByRole('button', { name: 'Open it' }).click()
  await page.waitForURL(/\/jobs\/[0-9a-f-]{36}$/)
  const clone = await engine.get({ id: page.url().slice(-36) })
  expect(clone.id).not.toBe(id)
  expect(clone).toMatchObject({
    payload: { to: 'bob@example.com', list: [1, 2] },
    priority: 7,
    maxAttempts: 4,
    timeoutMs: 90_000,
    dedupeKey: null,
  })
  expect(problems).toEqual([])
})

it('asks before it retries a job that was set aside because it crashes its worker', async () => {
  const server = await start()
  const { engine } = server
  const job = await held(engine)
  await engine.fail({ id: job.id, version: job.version, error: 'x', retry: false })
  await server.place.sql(`UPDATE millrace_jobs SET crashes = 3, error = '${setAsideError(3)}' WHERE id = '${job.id}'`)
  const { page, problems } = await openJob(server, job.id)
  await hasReason(page, 'set_aside')
  await page.getByRole('button', { name: 'Retry…' }).click()
  await page.getByRole('dialog').getByText('crashed 3 times').waitFor()
  expect((await engine.get({ id: job.id })).status).toBe('failed')
  await page.getByRole('button', { name: 'Retry it' }).click()
  await hasStatus(page, 'pending')
  await until(async () => (await engine.get({ id: job.id })).status === 'pending')
  expect(problems).toEqual([])
})
