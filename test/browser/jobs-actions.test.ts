/** Bulk actions in a real browser: on selected rows, by keyboard and on all matching jobs; stopped and undone. */
import type { Page } from 'playwright-core'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { formatNumber } from '../../client/lib/format-number.ts'
import { GroupCommit } from '../../server/engine/commit/group-commit.ts'
import type { Engine } from '../../server/engine/engine.ts'
import { add, addMany, ids } from '../support/engine.ts'
import { sqlite } from '../support/places.ts'
import { type Settings, startOn } from '../support/server.ts'
import { shareDashboard } from './support/browser.ts'
import { fail, row, table, toast } from './support/jobs-page.ts'

vi.setConfig({ testTimeout: 60_000 })

const dashboard = shareDashboard()
const start = (settings: Settings = {}) => startOn(sqlite)(settings, { pageFolder: dashboard.folder })

describe('selected rows', () => {
  it('are selected, retried and opened by keyboard alone', async () => {
    const { engine, url } = await start()
    const [oldest, middle, newest] = [await fail(engine), await fail(engine), await fail(engine)]
    // Not failed, so that the count below is reached only by the filtered list.
    await add(engine)
    const { page, problems } = await dashboard.open(`${url}/jobs`)
    await page.waitForSelector(row(oldest))
    await page.keyboard.press('/')
    await page.waitForSelector('[data-filter-field]:focus')
    await page.keyboard.type('status:failed')
    await page.keyboard.press('Enter')
    await page.waitForSelector('text=3 shown of 3')
    // Closes suggestions that arrive late.
    await vi.waitFor(async () => {
      await page.keyboard.press('Escape')
      expect(await page.locator('[data-filter-field]:focus').count()).toBe(0)
    })
    for (const key of ['j', 'j', 'x', 'j', 'Shift+X', 'k']) await page.keyboard.press(key)
    await page.waitForSelector('[data-testid=selection]:has-text("2 selected")')
    await page.keyboard.press('r')
    await toast(page, '2 jobs retried').waitFor()
    await page.waitForSelector(row(middle, 'pending'))
    const after = await Promise.all([oldest, middle, newest].map(async (id) => (await engine.get({ id })).status))
    expect(after).toEqual(['pending', 'pending', 'failed'])
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/jobs/${middle}`)
    expect(problems).toEqual([])
  })

  it('are cancelled as a range, announced once, and undone after a reload on another page', async () => {
    const { engine, url } = await start()
    const all = (await addMany(engine, 6)).reverse()
    const { page, problems } = await dashboard.open(`${url}${table('')}`)
    await page.waitForSelector(row(all[0] ?? ''))
    await takeTime(page)
    const box = (place: number) => page.locator(row(all[place] ?? '')).getByRole('checkbox')
    await box(1).click()
    await box(4).click({ modifiers: ['Shift'] })
    await box(2).click()
    await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    await toast(page, '3 jobs cancelled').waitFor()
    const { jobs } = await engine.list({ status: ['cancelled'] })
    expect([ids(jobs), await page.getByTestId('toast').count()]).toEqual([[all[1], all[3], all[4]], 1])
    await page.waitForSelector(row(all[4] ?? '', 'cancelled'))
    await page.goto(`${url}/types`)
    await toast(page, '3 jobs cancelled').getByRole('button', { name: 'Undo' }).click()
    await toast(page, 'Undone: 3 jobs restored').waitFor()
    // The result was announced, so the next page does not announce it again.
    await page.goto(`${url}${table('')}`)
    await page.waitForSelector(row(all[4] ?? '', 'pending'))
    expect(await page.getByTestId('toast').count()).toBe(0)
    expect((await engine.stats()).counts).toMatchObject({ pending: 6, cancelled: 0 })
    expect(problems).toEqual([])
  })

  it('are counted as unchanged when the action no longer applies to them', async () => {
    const { engine, url } = await start()
    const key = { dedupeKey: 'once', dedupeUntil: 'finished' } as const
    const stuck = await fail(engine, { ...key, type: 'stuck' })
    await addMany(engine, 1, { ...key, type: 'stuck' })
    const failed = await fail(engine)
    const { page } = await dashboard.open(`${url}${table('status:failed')}`)
    await page.waitForSelector(row(stuck))
    await page.getByRole('checkbox', { name: 'Select every row in view' }).click()
    await page.getByRole('button', { name: 'Retry', exact: true }).click()
    await toast(page, '1 job retried, 1 unchanged').waitFor()
    const after = await Promise.all([stuck, failed].map(async (id) => (await engine.get({ id })).status))
    expect(after).toEqual(['failed', 'pending'])
  })

  it('are deleted after a confirmation and a delay with undo', async () => {
    const { engine, url } = await start()
    const all = await addMany(engine, 3)
    const { page } = await dashboard.open(`${url}${table('')}`)
    for (const id of all.slice(0, 2)) await page.locator(row(id)).getByRole('checkbox').click()
    await page.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete 2 jobs?' })
    await dialog.getByText('you can undo it until then').waitFor()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    const panel = page.getByTestId('bulk')
    await panel.getByText('2 jobs will be deleted in').waitFor()
    await panel.getByRole('button', { name: 'Undo' }).click()
    await toast(page, 'Undone: no job was deleted').waitFor()
    expect((await engine.stats()).counts.pending).toBe(3)
  })
})

describe('all matching jobs', () => {
  it('are retried while workers run, with progress, and restored by undo', async () => {
    const { engine, url } = await start({ DURABILITY: 'normal' })
    const many = 20_000
    for (let done = 0; done < many; done += 1_000) await addMany(engine, 1_000)
    const { id } = await engine.startBulk({ action: 'cancel', filter: {} })
    await vi.waitFor(async () => expect((await engine.bulk({ id })).state).toBe('done'), { timeout: 30_000 })
    const { page, problems } = await dashboard.open(`${url}${table('status:cancelled')}`)
    await page.getByText('50 shown of 20,000').waitFor()
    const work = keepWorking(engine)
    await page.getByRole('checkbox', { name: 'Select every row in view' }).click()
    await page.getByRole('button', { name: 'Select all 20,000 that match' }).click()
    const runNow = page.getByRole('button', { name: 'Run now' })
    expect([await runNow.getAttribute('aria-disabled'), await runNow.getAttribute('title')]).toEqual([
      'true',
      'None of these jobs can be made ready. Only scheduled or retrying jobs can.',
    ])
    await page.getByRole('button', { name: 'Retry', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Retry 20,000 jobs' }).click()
    await page.waitForSelector('[data-testid=bulk]:has-text("of 20,000")')
    const atFirst = work.done()
    await toast(page, '20,000 jobs retried').waitFor({ timeout: 30_000 })
    expect(work.done()).toBeGreaterThan(atFirst)
    await page.getByRole('button', { name: 'Undo' }).click()
    await work.end()
    await toast(page, 'Undone').waitFor({ timeout: 30_000 })
    const { counts } = await engine.stats()
    expect([counts.completed, counts.cancelled]).toEqual([work.done(), many - work.done()])
    await page.waitForSelector(`[data-testid=toast]:has-text("${formatNumber(work.done())} had already changed again")`)
    expect(problems).toEqual([])
  })

  it('stay partly cancelled after Stop, until undo', async () => {
    const { engine, url } = await start()
    await addMany(engine, 1_000)
    const { page, problems } = await dashboard.open(`${url}${table('type:mail')}`)
    await page.getByText('50 shown of 1,000').waitFor()
    const goOn = stopBefore(3)
    await page.getByRole('checkbox', { name: 'Select every row in view' }).click()
    await page.getByRole('button', { name: 'Select all 1,000 that match' }).click()
    await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Cancel 1,000 jobs?' })
    await dialog.getByText('are not started again').waitFor()
    await dialog.getByRole('button', { name: 'Cancel 1,000 jobs' }).click()
    await page.getByTestId('bulk').getByText('400 of 1,000').waitFor()
    await page.getByTestId('bulk').getByRole('button', { name: 'Stop' }).click()
    const stopped = toast(page, 'Stopped: 400 jobs cancelled')
    await stopped.waitFor()
    goOn()
    await page.getByTestId('bulk').waitFor({ state: 'detached' })
    expect((await engine.stats()).counts).toMatchObject({ cancelled: 400, pending: 600 })
    await stopped.getByRole('button', { name: 'Undo' }).click()
    await toast(page, 'Undone: 400 jobs restored').waitFor()
    expect((await engine.stats()).counts.pending).toBe(1_000)
    expect(problems).toEqual([])
  })

  it('are deleted after a confirmation and a delay with undo on any page', async () => {
    const { engine, url } = await start()
    await addMany(engine, 70)
    // No counter covers priorities, so the server counts in parts.
    const { page } = await dashboard.open(`${url}${table('type:mail priority:0')}`)
    await page.getByText('50 shown').waitFor()
    await takeTime(page)
    await page.getByRole('checkbox', { name: 'Select every row in view' }).click()
    await page.getByRole('button', { name: 'Select all that match' }).click()
    await page.getByTestId('selection').getByText('All matching jobs: 70').waitFor()
    const goOn = await countIn(page, { count: 40, cursor: 31 })
    await page.getByRole('button', { name: 'Delete' }).click()
    const counting = page.getByRole('dialog', { name: 'Delete all matching jobs?' })
    await counting.getByText('Counting: 40 jobs so far…').waitFor()
    expect(await counting.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true)
    goOn()
    await page.getByRole('dialog', { name: 'Delete 70 jobs?' }).getByRole('button', { name: 'Delete' }).click()
    const waiting = '[data-testid=bulk][data-state=waiting]:has-text("70 jobs will be deleted in")'
    await page.waitForSelector(waiting)
    await page.getByRole('link', { name: 'Workers' }).click()
    await page.waitForURL('**/workers')
    await page.waitForSelector(waiting)
    await page.reload()
    await page.waitForSelector(waiting)
    await page.locator('[data-testid=bulk]').getByRole('button', { name: 'Undo' }).click()
    await toast(page, 'Undone: no job was deleted').waitFor()
    expect((await engine.stats()).counts.pending).toBe(70)
  })
})

/** Extends the undo time to a minute, because page loads take long on a busy machine. */
async function takeTime(page: Page): Promise<void> {
  await page.route('**/trpc/bulk.start*', (route) => {
    const body = route.request().postDataJSON()
    return route.continue({ postData: JSON.stringify({ 0: { ...body[0], undoMs: 60_000 } }) })
  })
}

/** Replaces the first part of a count; the server counts the rest after the returned function is called. */
async function countIn(page: Page, first: { readonly count: number; readonly cursor: number }): Promise<() => void> {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  // The count may be one of several queries in a batch.
  await page.route(/\/trpc\/[^?]*bulk\.count/, async (route) => {
    const url = new URL(route.request().url())
    const place = url.pathname.split(/[/,]/).slice(2).indexOf('bulk.count')
    const input = JSON.parse(url.searchParams.get('input') ?? '{}')
    if (input[place].cursor === undefined) {
      const response = await route.fetch()
      const json = await response.json()
      json[place] = { result: { data: first } }
      return route.fulfill({ response, json })
    }
    await released
    return route.continue()
  })
  return release
}

/** Blocks a bulk operation before this chunk, until the returned function is called. */
function stopBefore(chunk: number): () => void {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const submit = GroupCommit.prototype.submit
  let seen = 0
  const spy = vi.spyOn(GroupCommit.prototype, 'submit')
  spy.mockImplementation(async function (this: GroupCommit, op, failFast) {
    if (op.kind === 'bulkApply' && ++seen >= chunk) await released
    return submit.call(this, op, failFast)
  })
  onTestFinished(() => {
    release()
    spy.mockRestore()
  })
  return release
}

/** Worker that claims and completes jobs one after the other. */
function keepWorking(engine: Engine) {
  let [done, isOver] = [0, false]
  const over = (async () => {
    while (!isOver) {
      for (const { id, version } of await engine.claim({ worker: 'busy', limit: 5, waitMs: 50 })) {
        await engine.complete({ id, version })
        done += 1
      }
    }
  })()
  const end = () => {
    isOver = true
    return over
  }
  onTestFinished(end)
  return { done: () => done, end }
}
