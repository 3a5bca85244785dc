/** Job page in a real browser: live timeline, log, progress and actions, and all kinds of payloads. */
import type { Page } from 'playwright-core'
import { expect, it, vi } from 'vitest'
import { setAsideError } from '../../shared/lifecycle.ts'
import { add, held, take, until } from '../support/engine.ts'
import { sqlite } from '../support/places.ts'
import { startOn, type TestServer } from '../support/server.ts'
import { shareDashboard, type Tab } from './support/browser.ts'

const LIVE = '[data-testid=connection-state][data-connection=live]'
/** Shorter than the polling interval of the page. */
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

it('shows two failures, a retry and the completion in the timeline, live', async () => {
  const server = await start()
  const { engine } = server
  const error = `Error: no route to host\n${'    at connect (net.ts:1:2)\n'.repeat(20)}`
  const { id, version } = await held(engine, { backoff: { kind: 'fixed', baseMs: 0 } }, { worker: 'worker-a' })
  const { page, problems } = await openJob(server, id)
  const timeline = page.getByTestId('timeline')
  await timeline.locator('[data-outcome=running]').waitFor()
  await engine.fail({ id, version, error, exitCode: 7 })
  await timeline.locator('[data-outcome=failed]').waitFor()
  const second = await take(engine, { worker: 'worker-b' })
  await engine.fail({ id, version: second.version, error: 'gave up', retry: false })
  await hasStatus(page, 'failed')
  await page.getByRole('button', { name: 'Retry' }).click()
  await timeline.getByText('retried the job').waitFor()
  const third = await take(engine, { worker: 'worker-c' })
  await engine.complete({ id, version: third.version, result: { sent: 3 } })
  await timeline.locator('[data-outcome=completed]').waitFor()
  const texts = await timeline.locator('li').allTextContents()
  expect(texts).toEqual([
    expect.stringContaining('Enqueued'),
    expect.stringMatching(/^Attempt 1failed.*worker-awaited .*ran .*exit code 7/),
    expect.stringMatching(/^Attempt 2failed.*worker-b.*final attempt.*gave up/),
    expect.stringContaining('retried the job'),
    expect.stringMatching(/^Attempt 3completed.*worker-c/),
  ])
  const traces = async () => (await timeline.getByTestId('error').first().textContent())?.split('net.ts').length
  expect(await traces()).toBe(3)
  await timeline.getByRole('button', { name: /Show all \d+ lines/ }).click()
  expect(await traces()).toBe(21)
  expect(await page.getByTestId('json-result').textContent()).toContain('sent')
  expect(problems).toEqual([])
})

it('follows the log until the user scrolls up, then counts new lines, and stays fast with ten thousand lines', async () => {
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
    // The queue keeps the last thousand lines of an attempt; the page keeps all it has read.
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

it('updates the progress, and shows a cancelled job as cancelling until its handler has stopped', async () => {
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
  await page.getByText('cancelling', { exact: true }).waitFor()
  await hasReason(page, 'cancelling')
  expect(await page.getByRole('button', { name: 'Cancel' }).count()).toBe(0)
  await until(async () => (await engine.get({ id })).cancelRequestedAt !== null)
  await hasStatus(page, 'processing')
  await engine.fail({ id, version, error: 'stopped on request' })
  await hasStatus(page, 'cancelled')
  expect(await page.getByText('cancelling', { exact: true }).count()).toBe(0)
  expect(problems).toEqual([])
})

it('updates the explanation when the type or the queue is paused', async () => {
  const server = await start()
  const id = await add(server.engine)
  const { page, problems } = await openJob(server, id)
  await hasReason(page, 'no_worker')
  await server.engine.pauseType({ name: 'mail' })
  await hasReason(page, 'type_paused')
  expect(await page.getByTestId('explain').textContent()).toBe('Type mail is paused; resume it. View type mail')
  await server.engine.pause()
  await hasReason(page, 'queue_paused')
  expect(problems).toEqual([])
})

it('rolls back a rejected action with a toast, and offers only what the status allows', async () => {
  const server = await start()
  const { engine } = server
  const id = await add(engine, { delayMs: 3_600_000 })
  const { page, problems } = await openJob(server, id)
  const actions = () => page.locator('main header').getByRole('button').allTextContents()
  expect((await actions()).filter((name) => !name.includes(id))).toEqual(['Run now', 'Cancel', 'Delete'])
  await page.route(/\/trpc\/runNow/, (route) =>
    route.fulfill({
      status: 409,
      contentType: 'application/json',
      body: JSON.stringify([{ error: { message: 'no, not now', code: -32009, data: { httpStatus: 409 } } }]),
    }),
  )
  // The rollback does not depend on reading the job again.
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

it('deletes after confirmation, and shows that a job was removed or not found', async () => {
  const server = await start()
  const { engine } = server
  const [mine, theirs] = [await add(engine), await add(engine)]
  const { page, problems } = await openJob(server, mine)
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  expect((await engine.get({ id: mine })).status).toBe('pending')
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete job' }).click()
  await page.getByTestId('toast').filter({ hasText: 'Deleted' }).waitFor()
  await page.waitForURL(`${server.url}/jobs`)
  const other = await openJob(server, theirs)
  await engine.remove({ id: theirs })
  await other.page.getByText('This mail job was removed').waitFor()
  for (const id of [mine, 'no-id-at-all']) {
    await other.page.goto(`${server.url}/jobs/${id}`)
    await other.page.getByText('Job not found').waitFor()
  }
  expect([...problems, ...other.problems]).toEqual([])
})

it('shows hostile payloads, names, logs and errors as plain text', async () => {
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

it('opens a payload of a mebibyte, searches it, and renders only visible rows', async () => {
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

it('is reached from a count on a phone, and links back to the table, to its type and to its last worker', async () => {
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

  const details = page.getByRole('region', { name: 'Details' })
  await details.getByText('last: import-2').waitFor()
  expect(await details.getByRole('link', { name: 'import-2' }).getAttribute('href')).toBe('/workers?open=import-2')
  const title = page.getByRole('heading', { level: 1 }).getByRole('link', { name: 'mail' })
  expect(await title.getAttribute('href')).toBe('/jobs?view=table&q=type%3Amail')
  const timeline = page.getByTestId('timeline')
  await timeline.getByText('retry scheduled after 10 min', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Run now' }).click()
  await hasStatus(page, 'pending')
  // The page updates optimistically, before the server has committed.
  await vi.waitFor(async () => expect((await engine.get({ id })).status).toBe('pending'))
  await take(engine, { worker: 'import-3' })
  await timeline.getByText(/^retried after [\d.]+ m?s$/).waitFor()
  await details.getByRole('link', { name: 'import-3' }).waitFor()
  expect(await details.getByText('last:').count()).toBe(0)

  await page.reload()
  await page.locator('main').getByRole('link', { name: 'Jobs', exact: true }).click()
  await page.waitForURL(table)

  // The nav is wider than a phone: the current page is scrolled into view.
  await page.locator('body').press('g')
  await page.locator('body').press('s')
  await page.waitForFunction(() => {
    const here = document.querySelector('nav [aria-current=page]')?.getBoundingClientRect()
    return location.pathname === '/settings' && here !== undefined && here.left >= 0 && here.right <= innerWidth
  })
  expect(problems).toEqual([])
})

it('clones a job with everything but the dedupe key', async () => {
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
  await page.getByRole('button', { name: 'Open job' }).click()
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

it('asks for confirmation before it retries a job that was set aside', async () => {
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
  await page.getByRole('button', { name: 'Retry job' }).click()
  await hasStatus(page, 'pending')
  await until(async () => (await engine.get({ id: job.id })).status === 'pending')
  expect(problems).toEqual([])
})
