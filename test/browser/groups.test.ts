/** Groups page in a real browser: live numbers, keys that hold still, limits, pause and stopped keys. */
import type { Page } from 'playwright-core'
import { expect, it, vi } from 'vitest'
import type { Engine } from '../../server/engine/engine.ts'
import { add, addMany, take } from '../support/engine.ts'
import { sqlite } from '../support/places.ts'
import { describeServer } from '../support/server.ts'
import { shareDashboard } from './support/browser.ts'
import { row, toast } from './support/jobs-page.ts'

const LIVE = '[data-testid=connection-state][data-connection=live]'

vi.setConfig({ testTimeout: 60_000 })

const dashboard = shareDashboard()

const declare = (engine: Engine) =>
  engine.declareTypes({
    types: [
      { name: 'sync_tenant', settings: { group: { key: '/tenantId', concurrency: 2 } } },
      { name: 'deploy', settings: { maxAttempts: 1, group: { order: 'strict', onDead: 'stop' } } },
    ],
  })
const sync = (engine: Engine, tenantId: string, count: number) =>
  addMany(engine, count, { type: 'sync_tenant', payload: { tenantId } })
const keysOf = (page: Page) =>
  page.locator('[data-key]').evaluateAll((rows) => rows.map((one) => one.getAttribute('data-key')))
/** Changes arrive by push, and at most every two seconds. */
const eventually = (check: () => Promise<void>) => vi.waitFor(check, 15_000)
const textOf = async (page: Page, selector: string) => (await page.locator(selector).innerText()).replace(/\s+/g, ' ')
const hasText = (page: Page, selector: string, text: string) =>
  page.locator(selector).filter({ hasText: text }).waitFor()

describeServer(
  'Groups page',
  (startServer) => {
    it('teaches how to enqueue a job with a key, and shows its group once there is one', async () => {
      const { engine, url } = await startServer({}, { pageFolder: dashboard.folder })
      const { page, problems } = await dashboard.open(`${url}/groups`)
      await page.waitForSelector(LIVE)
      const line = await page.locator('pre').first().innerText()
      expect(line).toContain(`curl -X POST ${url}/trpc/enqueue`)
      const [, body = ''] = /-d '(.+)'/.exec(line) ?? []
      const response = await fetch(`${url}/trpc/enqueue`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      expect(response.status).toBe(200)
      await page.locator('[data-group=sync_tenant]').getByText('no limit, keys take turns').waitFor()
      expect((await engine.groups()).groups.map(({ name }) => name)).toEqual(['sync_tenant'])
      expect(problems).toEqual([])
    })

    it('lists groups with their rules, changes numbers in place, and leads to a key', async () => {
      const { engine, url } = await startServer({}, { pageFolder: dashboard.folder })
      await declare(engine)
      await sync(engine, 'acme', 5)
      const { page, problems } = await dashboard.open(`${url}/groups`)
      await page.waitForSelector(LIVE)
      const group = page.locator('[data-group=sync_tenant]')
      await group.getByText('2 at a time').waitFor()
      await page
        .locator('[data-group=deploy]')
        .getByText('one at a time, in order · stops after a failed job')
        .waitFor()
      expect(await textOf(page, '[data-group=sync_tenant]')).toMatch(/Keys 1 Blocked 3 Pending 2 Processing 0/)
      await sync(engine, 'globex', 4)
      await take(engine, { types: ['sync_tenant'] })
      await eventually(async () => {
        expect(await textOf(page, '[data-group=sync_tenant]')).toMatch(/Keys 2 Blocked 5 Pending 3 Processing 1/)
      })

      await group.getByRole('link', { name: 'sync_tenant' }).click()
      await page.getByRole('heading', { level: 1, name: 'sync_tenant' }).waitFor()
      await page.locator('[data-key=acme]').click()
      await page.getByRole('heading', { level: 1, name: 'acme' }).waitFor()
      expect(new URL(page.url()).search).toBe('?group=sync_tenant&key=acme')
      await hasText(page, '[data-testid=key-state]', '1 of 2 running; 1 ready; 3 blocked; next when one finishes')
      await page.getByRole('link', { name: '3 blocked jobs' }).click()
      await page.waitForFunction(() => document.querySelectorAll('[data-job-id]').length === 3)
      expect(new URL(page.url()).searchParams.get('q')).toBe('in:sync_tenant key:acme status:blocked')
      await page.goBack()
      await page.getByRole('link', { name: 'sync_tenant', exact: true }).click()
      await page.getByRole('heading', { level: 2, name: 'Keys' }).waitFor()
      expect(problems).toEqual([])
    })

    it('keeps keys at their places while the pointer is over them, sorts, searches and loads more', async () => {
      const { engine, url } = await startServer({}, { pageFolder: dashboard.folder })
      await declare(engine)
      for (let n = 0; n < 60; n++) await sync(engine, `tenant-${String(n).padStart(2, '0')}`, 60 - n + 2)
      const { page, problems } = await dashboard.open(`${url}/groups?group=sync_tenant`)
      await page.waitForSelector(LIVE)
      await page.locator('[data-key=tenant-00]').waitFor()
      expect((await keysOf(page)).slice(0, 3)).toEqual(['tenant-00', 'tenant-01', 'tenant-02'])
      expect((await keysOf(page)).length).toBe(50)

      await page.hover('[data-key=tenant-01]')
      await sync(engine, 'tenant-02', 5)
      await hasText(page, '[data-key=tenant-02]', '63')
      expect((await keysOf(page)).slice(0, 3)).toEqual(['tenant-00', 'tenant-01', 'tenant-02'])
      await page.mouse.move(0, 0)
      await eventually(async () => expect((await keysOf(page))[0]).toBe('tenant-02'))

      await page.getByRole('button', { name: 'Show more' }).click()
      await eventually(async () => expect((await keysOf(page)).length).toBe(60))
      await page.getByRole('searchbox', { name: 'Find a key' }).fill('tenant-3')
      await eventually(async () => expect((await keysOf(page)).length).toBe(10))
      await take(engine, { types: ['sync_tenant'] })
      await page.getByRole('searchbox', { name: 'Find a key' }).fill('')
      await page.getByText('Running', { exact: true }).first().click()
      await eventually(async () => expect((await keysOf(page))[0]).toBe('tenant-00'))
      expect(new URL(page.url()).search).toBe('?group=sync_tenant&sort=running')
      await page.mouse.move(0, 0)
      await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur())
      await page.keyboard.press('j')
      await page.keyboard.press('j')
      expect(await page.evaluate(() => document.activeElement?.closest('[data-key]')?.getAttribute('data-key'))).toBe(
        (await keysOf(page))[1],
      )
      await page.keyboard.press('Enter')
      await page.waitForFunction(() => new URLSearchParams(location.search).has('key'))
      expect(problems).toEqual([])
    })

    it('overrides limits of a group and of one key, and shows which rule applies', async () => {
      const { engine, url } = await startServer({}, { pageFolder: dashboard.folder })
      await declare(engine)
      await sync(engine, 'acme', 9)
      const { page, problems } = await dashboard.open(`${url}/groups`)
      await page.getByRole('button', { name: 'Edit limits of sync_tenant' }).click()
      const dialog = page.getByRole('dialog')
      const concurrency = dialog.getByLabel('Concurrency', { exact: true })
      const rate = dialog.getByLabel('Rate', { exact: true })
      expect(await concurrency.getAttribute('placeholder')).toBe('declared: 2')
      expect(await rate.getAttribute('placeholder')).toBe('not declared: no limit')
      await concurrency.fill('3')
      await rate.fill('fast')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.getByText('It must look like 10/s').waitFor()
      await rate.fill('0/s')
      await dialog.getByRole('button', { name: 'Save' }).click()
      // The server checks the bounds.
      await dialog.getByRole('alert').first().waitFor()
      await rate.fill('600/min, burst 5')
      await dialog.getByLabel('When full', { exact: true }).selectOption('skip')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.waitFor({ state: 'detached' })
      const { groups } = await engine.groups({ search: 'sync' })
      expect(groups[0]?.override).toEqual({
        concurrency: 3,
        rate: { limit: 600, perMs: 60_000, burst: 5 },
        whenFull: 'skip',
      })
      const line = '3 at a time · 600/min, burst 5 · new jobs are skipped when full'
      await page.locator('[data-group=sync_tenant]').getByText(line).waitFor()

      await page.goto(`${url}/groups?group=sync_tenant&key=acme`)
      await page.getByRole('button', { name: 'Edit limits of acme' }).click()
      expect(await concurrency.getAttribute('placeholder')).toBe('group: 3')
      expect(await dialog.getByLabel('When full').count()).toBe(0)
      await dialog.getByRole('button', { name: 'No limit: Rate' }).click()
      await concurrency.fill('1')
      await page.keyboard.press('Escape')
      await dialog.getByText('You have unsaved changes.').waitFor()
      await page.keyboard.press('Enter')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.waitFor({ state: 'detached' })
      expect((await engine.groupKey({ name: 'sync_tenant', key: 'acme' })).override).toEqual({
        concurrency: 1,
        rate: null,
      })
      const limits = page.getByRole('region', { name: 'Limits' })
      await limits.getByText('1 (of this key)').waitFor()
      await limits.getByText('skip (set for the group)').waitFor()
      expect(problems).toEqual([])
    })

    it('pauses and resumes a group and one key', async () => {
      const { engine, url } = await startServer({}, { pageFolder: dashboard.folder })
      await declare(engine)
      await sync(engine, 'acme', 3)
      const { page, problems } = await dashboard.open(`${url}/groups`)
      await page.getByRole('button', { name: 'Pause sync_tenant' }).click()
      await toast(page, 'Paused sync_tenant. Running jobs continue.').waitFor()
      await page.locator('[data-group=sync_tenant]').getByText('paused', { exact: true }).waitFor()
      await page.goto(`${url}/groups?group=sync_tenant&key=acme`)
      await hasText(page, '[data-testid=key-state]', '0 of 2 running; 3 blocked; paused')
      // One key may run while its group is paused.
      await page.getByRole('button', { name: 'Resume acme' }).click()
      await hasText(page, '[data-testid=key-state]', '0 of 2 running; 2 ready; 1 blocked; next when one has run')
      expect((await engine.groupKey({ name: 'sync_tenant', key: 'acme' })).override).toEqual({ paused: false })
      await page.goto(`${url}/groups?group=sync_tenant`)
      await page.getByRole('button', { name: 'Resume sync_tenant' }).click()
      await toast(page, 'Resumed sync_tenant.').waitFor()
      expect((await engine.groups({ search: 'sync' })).groups[0]?.override).toEqual({})
      await page.goto(`${url}/groups?group=sync_tenant&key=acme`)
      await page.getByRole('button', { name: 'Pause acme' }).click()
      await hasText(page, '[data-testid=key-state]', 'paused')
      await toast(page, 'Paused acme').getByRole('button', { name: 'Resume' }).click()
      await hasText(page, '[data-testid=key-state]', '2 ready')
      expect(problems).toEqual([])
    })

    it('names the job that stopped a key, and continues without it', async () => {
      const { engine, url } = await startServer({}, { pageFolder: dashboard.folder })
      await declare(engine)
      const [first = '', second = ''] = await addMany(engine, 2, { type: 'deploy', group: 'production' })
      const { version } = await take(engine, { types: ['deploy'] })
      await engine.fail({ id: first, version, error: 'health check failed', retry: false })
      const { page, problems } = await dashboard.open(`${url}/groups?group=deploy`)
      await page.locator('[data-key=production]').getByText('stopped', { exact: true }).waitFor()
      await page.locator('[data-key=production]').click()
      await hasText(page, '[data-testid=key-state]', '0 of 1 running; 1 blocked; stopped by a failed job')
      expect(await page.getByRole('link', { name: first.slice(-8) }).getAttribute('href')).toBe(`/jobs/${first}`)
      await page.getByRole('button', { name: 'Continue production' }).click()
      await toast(page, 'production continues with its next job.').waitFor()
      await hasText(page, '[data-testid=key-state]', '0 of 1 running; 1 ready')
      expect((await engine.get({ id: second })).status).toBe('pending')
      expect(problems).toEqual([])
    })

    it('shows a blocked job with its key, in the list, in filters and on its page', async () => {
      const { engine, url } = await startServer({}, { pageFolder: dashboard.folder })
      await declare(engine)
      const ids = await sync(engine, 'acme', 3)
      const blocked = ids[2] ?? ''
      await add(engine, { type: 'mail' })
      const { page, problems } = await dashboard.open(`${url}/`)
      await page.waitForSelector(LIVE)
      await page.waitForFunction(() => document.querySelector('dd[data-status=blocked]')?.textContent === '1')
      await page.goto(`${url}/jobs?view=table`)
      await hasText(page, row(blocked, 'blocked'), 'waits for key acme')
      const filter = page.getByRole('combobox')
      await filter.pressSequentially('in:')
      await page.getByRole('option', { name: 'sync_tenant' }).click()
      await filter.pressSequentially('key:')
      await page.getByRole('option', { name: 'acme' }).click()
      await page.waitForFunction(() => document.querySelectorAll('[data-job-id]').length === 3)
      await page.goto(`${url}/jobs`)
      await page.locator(row(blocked, 'blocked')).waitFor()

      await page.goto(`${url}/jobs/${blocked}`)
      await page.getByTestId('timeline').getByText('waits for key acme').waitFor()
      const details = page.getByRole('region', { name: 'Details' })
      expect(await details.getByRole('link', { name: 'acme' }).getAttribute('href')).toContain('key=acme')
      await page.getByRole('link', { name: 'View key acme' }).click()
      await page.getByRole('heading', { level: 1, name: 'acme' }).waitFor()
      await page.goto(`${url}/types`)
      const type = page.locator('[data-type=sync_tenant]')
      expect(await type.getByRole('link', { name: 'grouped by /tenantId' }).getAttribute('href')).toBe(
        '/groups?group=sync_tenant',
      )
      expect(problems).toEqual([])
    })

    it('enqueues a job with a key, and clones it with the key', async () => {
      const { engine, url } = await startServer({}, { pageFolder: dashboard.folder })
      await declare(engine)
      const { page, problems } = await dashboard.open(`${url}/new?type=deploy`)
      await page.getByLabel('Group', { exact: false }).fill('production')
      await page.getByText('--group production').waitFor()
      await page.getByRole('button', { name: 'Enqueue' }).click()
      await toast(page, 'Enqueued deploy').waitFor()
      const { jobs } = await engine.list({ groupKey: 'production' })
      expect(jobs.map(({ groupName, groupKey }) => [groupName, groupKey])).toEqual([['deploy', 'production']])
      await page.goto(`${url}/new?from=${jobs[0]?.id}`)
      expect(await page.getByLabel('Group', { exact: false }).inputValue()).toBe('production')
      // With a pointer the key follows the payload, which may be edited.
      const [id = ''] = await sync(engine, 'acme', 1)
      await page.goto(`${url}/new?from=${id}`)
      await page.getByText('default: /tenantId of the payload').waitFor()
      expect(await page.getByLabel('Group', { exact: false }).inputValue()).toBe('')
      expect(problems).toEqual([])
    })
  },
  [sqlite],
)
