/** Dashboard mounted in an application, in a real browser: base path, the application's auth and headers. */
import type { IncomingMessage } from 'node:http'
import type { Page } from 'playwright-core'
import { expect, it, onTestFinished, vi } from 'vitest'
import { openEngine } from '../../server/compose/open-engine.ts'
import type { Engine } from '../../server/engine/engine.ts'
import { openDashboard } from '../../server/sdk/create-dashboard.ts'
import { mountOn } from '../http/support/mounted.ts'
import { add, held } from '../support/engine.ts'
import { sqlite } from '../support/places.ts'
import { shareDashboard } from './support/browser.ts'
import { row, table } from './support/jobs-page.ts'

const LIVE = '[data-testid=connection-state][data-connection=live]'

vi.setConfig({ testTimeout: 60_000 })

const dashboard = shareDashboard()
const nameOf = ({ headers }: IncomingMessage) => /shop=(\w+)/.exec(headers.cookie ?? '')?.[1]

it('works below a path of the application, for its signed-in users and under their names', async () => {
  const engine = await openQueue()
  const { url } = await mountOn(engine, {
    at: '/admin/queue',
    pageFolder: dashboard.folder,
    authorize: (request) => {
      const actor = nameOf(request)
      return actor !== undefined && { actor }
    },
    prepare: (app) => {
      app.use((_request, response, next) => {
        response.setHeader('content-security-policy', "default-src 'none'")
        next()
      })
      app.get('/', (_request, response) => {
        response.cookie('shop', 'ann').send('<!doctype html><title>The shop</title>')
      })
    },
  })
  const { page, problems } = await dashboard.open(new URL('/', url).href)
  await page.goto(url)
  await page.waitForSelector(LIVE)
  expect(await page.getByRole('button', { name: 'Sign out' }).count()).toBe(0)
  await page.getByRole('navigation').getByRole('link', { name: 'Workers' }).click()
  await page.getByText('opens the same database as your application').waitFor()
  await page.getByRole('navigation').getByRole('link', { name: 'Overview' }).click()
  expect(await page.getByTestId('guarded').count()).toBe(2)
  const job = await held(engine, { type: 'invoice' })
  await page.waitForSelector(`[data-job-id="${job.id}"]`)
  await engine.fail({ id: job.id, version: job.version, error: 'no paper', retry: false })

  await page.getByRole('navigation').getByRole('link', { name: 'Failures' }).click()
  await page.getByText('no paper').first().waitFor()
  expect(page.url()).toBe(`${url}/failures`)
  await page.goto(`${url}/tasks/${job.id}`)
  await page.getByRole('button', { name: 'Retry' }).click()
  await page.getByText('pending').first().waitFor()
  expect((await engine.auditTrail())[0]).toMatchObject({ actor: 'ann', action: 'retry', target: job.id })

  await add(engine, { type: 'later' })
  expect((await page.goto(`${url}/no/such/page`))?.status()).toBe(404)
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  expect(await page.getByTestId('actor').getAttribute('title')).toBe('Signed in as ann')

  // Texts about tokens and commands match the application's access control.
  await page.goto(`${url}/settings?tab=tokens`)
  await page.getByText('Your application controls access to this page').waitFor()
  await page.getByRole('button', { name: 'New token' }).click()
  expect(await page.getByText('the server requires a token').count()).toBe(0)
  await page.goto(`${url}/settings?tab=export`)
  await page.getByTestId('guarded').filter({ hasText: 'add the credentials that it requires' }).waitFor()

  await page.goto(`${url}${table('')}`)
  await removeSlowly(page, job.id)
  const refused = page.waitForResponse((answer) => answer.url().includes('bulk.status') && answer.status() === 403)
  await page.context().clearCookies()
  await refused
  await page.getByRole('navigation').getByRole('link', { name: 'Types' }).click()
  await page.getByRole('heading', { name: 'You no longer have access to this queue' }).waitFor()
  expect(await page.locator('[data-testid=connection-state]').textContent()).toBe('No access')
  await page.context().addCookies([{ name: 'shop', value: 'ann', url }])
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.waitForSelector(LIVE)
  // The tab still shows its bulk action.
  await page.getByTestId('bulk').getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Undone: no job was deleted').waitFor()

  // Another user signs in to the application while the page is open.
  await page.getByRole('navigation').getByRole('link', { name: 'New job' }).click()
  await page.getByLabel('Priority').fill('7')
  await page.context().addCookies([{ name: 'shop', value: 'bob', url }])
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
  await page.getByTestId('actor').filter({ hasText: 'bob' }).waitFor()
  expect(await page.getByLabel('Priority').inputValue()).toBe('')

  await page.context().clearCookies()
  expect((await page.goto(url))?.status()).toBe(403)
  await page.getByRole('heading', { name: 'No access' }).waitFor()
  await page.getByText('sign in to it, then try again').waitFor()
  expect(problems).toEqual([])
})

it('keeps the tab state of two mounted dashboards apart', async () => {
  const [first, second] = [await openQueue(), await openQueue()]
  const [removed, kept] = [await add(first), await add(second)]
  const other = openDashboard(second, dashboard.folder, {})
  onTestFinished(() => other.close())
  const { url } = await mountOn(first, {
    at: '/first',
    pageFolder: dashboard.folder,
    prepare: (app) => app.use('/second', other),
  })
  const { page, problems } = await dashboard.open(`${url}${table('type:mail')}`)
  await removeSlowly(page, removed)
  await page.goto(new URL(`/second/jobs/${kept}`, url).href)
  await page.waitForSelector(LIVE)
  expect(await page.getByRole('main').getByRole('link', { name: 'Jobs' }).getAttribute('href')).toBe('/second/jobs')
  await page.goto(url)
  await page.getByTestId('bulk').waitFor()
  expect(problems).toEqual([])
})

async function openQueue(): Promise<Engine> {
  const engine = await openEngine({ url: (await sqlite.create()).url('normal') })
  onTestFinished(() => engine.close())
  return engine
}

/** Deletes from the table, with a minute to undo it. */
async function removeSlowly(page: Page, id: string): Promise<void> {
  await page.route('**/trpc/bulk.start*', (route) => {
    const body = route.request().postDataJSON()
    return route.continue({ postData: JSON.stringify({ 0: { ...body[0], undoMs: 60_000 } }) })
  })
  await page.locator(row(id)).getByRole('checkbox').click()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByTestId('bulk').waitFor()
}
