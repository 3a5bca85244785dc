/** Behaviour across pages: several tabs, redirects, keyboard shortcuts, queue state. */
import { expect, it, vi } from 'vitest'
import { MINUTE } from '../../shared/limits.ts'
import { add, take, until } from '../support/engine.ts'
import { sqlite } from '../support/places.ts'
import { reverseProxy } from '../support/proxies/proxy.ts'
import { startOn } from '../support/server.ts'
import { shareDashboard } from './support/browser.ts'

const LIVE = '[data-testid=connection-state][data-connection=live]'

vi.setConfig({ testTimeout: 60_000 })

const dashboard = shareDashboard()
const start = () => startOn(sqlite)({}, { pageFolder: dashboard.folder })

it('shares one event stream between all tabs, and moves it when its tab closes', async () => {
  const server = await start()
  const { page: first, problems } = await dashboard.open(server.url)
  await first.waitForSelector(LIVE)
  const second = await first.context().newPage()
  await second.goto(server.url)
  await second.waitForSelector(LIVE)
  expect(server.frames.subscriberCount).toBe(1)
  const early = await add(server.engine)
  await second.waitForSelector(`[data-job-id="${early}"]`)

  await first.close()
  const late = await add(server.engine)
  await second.waitForSelector(`[data-job-id="${late}"]`)
  await second.waitForSelector(LIVE)
  await until(() => server.frames.subscriberCount === 1)
  expect(problems).toEqual([])
})

it('redirects the URLs of older systems', async () => {
  const server = await start()
  const id = await add(server.engine)
  const { page, problems } = await dashboard.open(server.url)
  const redirects = [
    ['dashboard', '/'],
    ['inbox', '/jobs'],
    ['task-queue', '/jobs'],
    ['tasks', '/jobs'],
    ['tasks/stats', '/'],
    [`tasks/${id}`, `/jobs/${id}`],
  ]
  for (const [from, to] of redirects) {
    await page.goto(`${server.url}/${from}`)
    await page.waitForFunction((path) => location.pathname === path, to)
  }
  expect(problems).toEqual([])
})

it('navigates by keyboard shortcuts from any page and below a base path', async () => {
  const server = await startOn(sqlite)({ BASE_PATH: '/queue' }, { pageFolder: dashboard.folder })
  const { page, problems } = await dashboard.open(`${server.url}/`)
  await page.waitForSelector(LIVE)
  for (const [letter, path] of [
    ['t', 'types'],
    ['g', 'groups'],
    ['c', 'schedules'],
    ['w', 'workers'],
    ['f', 'failures'],
    ['s', 'settings'],
    ['n', 'new'],
  ]) {
    await page.keyboard.press('g')
    await page.keyboard.press(letter ?? '')
    await page.waitForFunction((end) => location.pathname === `/queue/${end}`, path)
    await page.waitForSelector('h1')
    // Shortcuts do not apply inside inputs.
    await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur())
  }
  await page.keyboard.press('?')
  await page.waitForSelector('role=dialog[name="Keyboard shortcuts"]')
  await page.keyboard.press('Escape')
  await page.waitForSelector('role=dialog', { state: 'detached' })
  expect(problems).toEqual([])
})

it('pauses and resumes the queue, and shows the state on the Overview page', async () => {
  const server = await start()
  const { page, problems } = await dashboard.open(server.url)
  await page.click('text=Pause the queue')
  await page.waitForSelector('text=Paused. No jobs are being started')
  await add(server.engine)
  expect(await server.engine.claim({ worker: 'w' })).toEqual([])
  await page.click('text=Resume the queue')
  await page.waitForSelector('text=Running')
  expect(await server.engine.claim({ worker: 'w' })).toHaveLength(1)
  expect(problems).toEqual([])
})

it('warns while jobs are waiting and no online worker takes their type', async () => {
  const server = await start()
  await add(server.engine)
  const { page, problems } = await dashboard.open(server.url)
  const state = page.getByTestId('queue-state')
  await state.getByText('Jobs are waiting; no worker is online').waitFor()
  await state.getByText('0 workers online').waitFor()
  await take(server.engine, { types: ['mail'] })
  await state.getByText('Running', { exact: true }).waitFor()
  await state.getByText('1 worker online').waitFor()
  await add(server.engine, { type: 'other' })
  await server.place.sql(`UPDATE millrace_jobs SET run_at = run_at - ${MINUTE} WHERE type = 'other'`)
  await state.getByText('Jobs are waiting; no online worker claims other').waitFor()
  expect(await state.getAttribute('data-tone')).toBe('pending')
  await take(server.engine, { worker: 'worker-2' })
  await state.getByText('Running', { exact: true }).waitFor()
  expect(problems).toEqual([])
})

it('fails an action immediately without network, and does not repeat it later', async () => {
  const server = await start()
  const { page } = await dashboard.open(server.url)
  await page.waitForSelector(LIVE)
  await page.context().setOffline(true)
  await page.click('text=Pause the queue')
  await page.waitForSelector('[data-testid=toast]')
  await page.context().setOffline(false)
  await page.reload()
  await page.waitForSelector('text=Pause the queue')
  expect((await server.engine.settings()).paused ?? false).toBe(false)
})

it('reconnects after a proxy answered 502 for a while, and has missed nothing', async () => {
  const server = await start()
  const proxy = await reverseProxy(server.address.port)
  const { page } = await dashboard.open(proxy.url)
  await page.waitForSelector(LIVE)
  proxy.goDown()
  await page.waitForSelector('[data-testid=connection-state]:not([data-connection=live])')
  const missed = await add(server.engine)
  proxy.comeBack()
  await page.waitForSelector(LIVE)
  await page.waitForSelector(`[data-job-id="${missed}"]`)
  const next = await add(server.engine)
  await page.waitForSelector(`[data-job-id="${next}"]`)
  expect(await page.locator('[data-job-id]').count()).toBe(2)
})
