/** Jobs page in a real browser: sections, table, filter and live rows. */
import type { Page } from 'playwright-core'
import { describe, expect, it, vi } from 'vitest'
import { add, addMany, refused, take } from '../support/engine.ts'
import { sqlite } from '../support/places.ts'
import { startOn } from '../support/server.ts'
import { shareDashboard } from './support/browser.ts'
import { fail, order, question, row, table, toast } from './support/jobs-page.ts'

const LIVE = '[data-testid=connection-state][data-connection=live]'
/** Shorter than the poll interval, so only a push can pass. */
const PUSHED = { timeout: 10_000 }

vi.setConfig({ testTimeout: 60_000 })

const dashboard = shareDashboard()
const start = () => startOn(sqlite)({}, { pageFolder: dashboard.folder })
const section = (page: Page, name: string) => page.getByRole('region', { name })

describe('the sections', () => {
  it('open and close independently, show exact counts, and have pages', async () => {
    const { engine, url } = await start()
    const failed = await fail(engine, { type: 'charge_card' })
    const waiting = (await addMany(engine, 22)).reverse()
    const { page, problems } = await dashboard.open(`${url}/jobs`)
    const count = (name: string) => page.locator(`[data-group=${name}] [data-testid=section-count]`).textContent()
    await section(page, 'Pending').locator('li').nth(9).waitFor()
    await page.waitForSelector(row(failed, 'failed'))
    expect(await order(page)).toEqual([...waiting.slice(0, 10), failed])
    expect(await Promise.all(['pending', 'processing', 'completed', 'failed'].map(count))).toEqual([
      '22',
      '0',
      '0',
      '1',
    ])

    const pages = page.getByRole('navigation', { name: 'Pages of Pending' })
    await pages.getByRole('link', { name: 'Next page' }).click()
    await page.waitForSelector(row(waiting[10] ?? ''))
    await pages.getByRole('link', { name: 'Page 3' }).click()
    await page.waitForSelector(row(waiting[21] ?? ''))
    expect(await order(page)).toEqual([...waiting.slice(20), failed])

    await page.getByRole('button', { name: 'Failed' }).click()
    await page.getByRole('button', { name: 'Completed' }).click()
    await page.getByText('No jobs have completed yet.').waitFor()
    await page.reload()
    await page.waitForSelector(row(waiting[21] ?? ''))
    expect(await order(page)).toEqual(waiting.slice(20))
    expect(await page.getByRole('button', { name: 'Completed' }).getAttribute('aria-expanded')).toBe('true')
    await page.goBack()
    await page.waitForSelector(row(waiting[10] ?? ''))
    expect(problems).toEqual([])
  })

  it('retry and delete jobs with a confirmation, and show refused actions', async () => {
    const { engine, url } = await start()
    const stuck = await fail(engine, { type: 'stuck', dedupeKey: 'once', dedupeUntil: 'finished' }, 'no such card')
    await add(engine, { type: 'stuck', dedupeKey: 'once', dedupeUntil: 'finished' })
    const [retried, deleted] = [await fail(engine, { type: 'mail' }), await fail(engine, { type: 'report' })]
    const { page, problems } = await dashboard.open(`${url}/jobs?open=failed`)
    const press = (id: string, name: string) => page.locator(row(id)).getByRole('button', { name }).click()
    await page.waitForSelector(`${row(stuck, 'failed')}:has-text("no such card")`)

    await press(retried, 'Retry')
    await page.waitForSelector(row(retried, 'pending'))
    await toast(page, '1 job retried').waitFor()
    expect((await engine.get({ id: retried })).status).toBe('pending')

    await press(deleted, 'Delete')
    await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    expect((await engine.get({ id: deleted })).status).toBe('failed')
    await press(deleted, 'Delete')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await toast(page, '1 job deleted').waitFor()
    expect((await refused(engine.get({ id: deleted }))).code).toBe('NOT_FOUND')

    // Without another read: the optimistic change is reverted.
    await page.route(/\/trpc\/[^?]*\blist\b/, () => {})
    await press(stuck, 'Retry')
    await toast(page, 'now holds the key').waitFor()
    await page.waitForSelector(row(stuck, 'failed'))
    expect(problems).toEqual([])
  })

  it('follow the actions of another client without a reload', async () => {
    const { engine, url } = await start()
    const id = await add(engine)
    const { page } = await dashboard.open(`${url}/jobs`)
    await section(page, 'Pending').locator(row(id, 'pending')).waitFor()
    await page.waitForSelector(LIVE)
    const { version } = await take(engine)
    await section(page, 'Processing').locator(row(id, 'processing')).waitFor(PUSHED)
    await engine.fail({ id, version, error: 'out of paper', retry: false })
    await section(page, 'Failed').locator(row(id, 'failed')).getByText('out of paper').waitFor(PUSHED)
    expect(await page.locator('[data-group=failed] [data-testid=section-count]').textContent()).toBe('1')
  })
})

describe('the table', () => {
  it('shows new jobs of a filter that was held by the pointer when it was last open', async () => {
    const { engine, url } = await start()
    const first = await add(engine)
    const { page } = await dashboard.open(`${url}${table('')}`)
    await page.waitForSelector(LIVE)
    await page.waitForSelector(row(first))
    await page.getByRole('button', { name: /^pending/ }).click()
    await page.waitForURL((address) => address.searchParams.get('q') === 'status:pending')
    await page.hover(row(first))
    const second = await add(engine)
    await page.getByTestId('new-jobs').waitFor()
    await page.goBack()
    await page.mouse.move(0, 0)
    await page.waitForSelector(row(second))
    await page.goForward()
    const third = await add(engine)
    await page.waitForSelector(row(third), PUSHED)
    expect(await order(page)).toEqual([third, second, first])
  })

  it('filters, completes terms, and restores the filter from the URL', async () => {
    const { engine, url } = await start()
    const ada = await fail(engine, { type: 'charge_card', payload: { user: { id: 42 } } })
    const bob = await fail(engine, { type: 'charge_card', payload: { user: { id: 43 } } })
    const mail = await add(engine, { type: 'send_email' })
    const { page, problems } = await dashboard.open(`${url}/jobs`)
    await page.getByRole('link', { name: 'Table' }).click()
    await page.waitForSelector(row(mail))
    expect(await order(page)).toEqual([mail, bob, ada])

    const field = page.getByRole('combobox', { name: 'Filter jobs' })
    await field.pressSequentially('ty')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('option', { name: 'charge_card' }).click()
    await page.waitForSelector(row(mail), { state: 'detached' })
    expect([question(page), await order(page)]).toEqual(['type:charge_card', [bob, ada]])
    const statuses = page.getByRole('group', { name: 'Statuses' })
    await statuses.getByRole('button', { name: 'failed 2' }).waitFor()
    await statuses.getByRole('button', { name: 'pending 0' }).waitFor()
    await field.pressSequentially('payload.user.id:42')
    await page.keyboard.press('Enter')
    await page.waitForSelector(row(bob), { state: 'detached' })
    expect([question(page), await order(page)]).toEqual(['type:charge_card payload.user.id:42', [ada]])
    expect(await statuses.textContent()).not.toMatch(/\d/)

    await page.goBack()
    await page.waitForSelector(row(bob))
    expect(await field.inputValue()).toBe('type:charge_card')
    await page.reload()
    await page.waitForSelector(row(bob))
    expect([await field.inputValue(), await order(page)]).toEqual(['type:charge_card', [bob, ada]])
    await field.fill('status:fialed')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').filter({ hasText: 'Did you mean failed?' }).waitFor()
    expect(await page.locator('[data-job-id]').count()).toBe(0)
    await field.fill('type:chrage_card status:failed')
    await page.keyboard.press('Enter')
    await page.getByText('There is no type “chrage_card”.').getByRole('button', { name: 'charge_card' }).click()
    await page.waitForSelector(row(bob))
    expect(question(page)).toBe('type:charge_card status:failed')
    expect(problems).toEqual([])
  })

  it('loads more rows and shows new jobs on request', async () => {
    const { engine, url } = await start()
    const first = (await addMany(engine, 120)).reverse()
    const { page } = await dashboard.open(`${url}${table('status:pending')}`)
    await page.getByText('50 shown of 120').waitFor()
    await page.getByRole('button', { name: 'Load more' }).click()
    await page.getByRole('button', { name: 'Load more' }).click()
    await page.getByText('120 shown of 120').waitFor()
    expect(await order(page)).toEqual(first)
    await page.waitForFunction(() => window.scrollY > 100)
    const newer = (await addMany(engine, 3)).reverse()
    await page.waitForSelector('[data-testid=new-jobs]:has-text("3 new")', PUSHED)
    expect(await order(page)).toEqual(first)
    await page.click('[data-testid=new-jobs]')
    await page.waitForSelector(row(newer[0] ?? ''))
    expect(await order(page)).toEqual([...newer, ...first])
  })

  it('keeps every row in place under the pointer while 200 jobs a second change', async () => {
    const { engine, url } = await start()
    const first = (await addMany(engine, 40)).reverse()
    const { page, problems } = await dashboard.open(`${url}${table('status:pending')}`)
    await page.waitForSelector(LIVE)
    await page.locator(row(first[5] ?? '')).hover()
    await watchRows(page)
    for (let tenth = 0; tenth < 12; tenth++) {
      await addMany(engine, 10)
      await Promise.all(
        (await engine.claim({ worker: 'fast', limit: 5 })).map(({ id, version }) => engine.complete({ id, version })),
      )
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    await page.waitForSelector(row(first.at(-1) ?? '', 'completed'), PUSHED)
    await page.waitForFunction(() => /new/.test(document.querySelector('[data-testid=new-jobs]')?.textContent ?? ''))
    expect(await page.evaluate(() => Reflect.get(window, 'moves'))).toEqual([])
    expect(await order(page)).toEqual(first)
    expect(problems).toEqual([])
  })
})

it('shows HTML in job data as text', async () => {
  const { engine, url } = await start()
  const evil = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>'
  const id = await fail(engine, { type: evil, payload: { [evil]: evil } }, `${evil}\njavascript:alert(1)`)
  const { page, problems } = await dashboard.open(`${url}/jobs?open=failed`)
  await page.waitForSelector(`${row(id)} >> text=${evil}`)
  await page.goto(`${url}${table(`type:"${evil.replaceAll('"', '\\"')}"`)}`)
  await page.waitForSelector(`${row(id)} >> text=${evil}`)
  await page.goto(`${url}${table(`${evil.split(' ')[0]}:1`)}`)
  expect(await page.locator('main img, main script').count()).toBe(0)
  expect(await page.evaluate(() => Reflect.get(window, 'hit'))).toBeUndefined()
  expect(problems).toEqual([])
})

it.each([
  ['light', '/jobs'],
  ['dark', '/jobs?view=table'],
] as const)('fits on a phone in %s: %s', async (colorScheme, path) => {
  const { engine, url } = await start()
  const type = 'a-type-with-a-name-that-is-much-longer-than-any-column-of-the-list-is-wide'
  const id = await fail(engine, { type, priority: 1_000_000 }, `Error: ${'a long message '.repeat(30)}`)
  await addMany(engine, 90)
  const { page, problems } = await dashboard.open(url + path, { colorScheme, viewport: { width: 390, height: 800 } })
  await page.waitForSelector('[data-job-id]')
  if (path === '/jobs') await page.waitForSelector(row(id))
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0)
  expect(problems).toEqual([])
})

/** Records every change of position of a row. */
async function watchRows(page: Page): Promise<void> {
  await page.evaluate(() => {
    const moves: string[] = []
    Reflect.set(window, 'moves', moves)
    const places = () =>
      [...document.querySelectorAll<HTMLElement>('[data-job-id]')]
        .map((one) => `${one.dataset.jobId} ${one.getBoundingClientRect().top}`)
        .join('\n')
    const first = places()
    const look = () => {
      if (places() !== first) moves.push(places())
      requestAnimationFrame(look)
    }
    look()
  })
}
