/** The dashboard inside somebody else's application, in a real browser: below its path, with its sign-in and its headers. */
import type { IncomingMessage } from 'node:http'
import { expect, it, onTestFinished, vi } from 'vitest'
import { openEngine } from '../../server/compose.ts'
import { mountOn } from '../http/mounted.ts'
import { add, held } from '../support/engine.ts'
import { sqlite } from '../support/places.ts'
import { shareDashboard } from './browser.ts'

const LIVE = '[data-testid=connection-state][data-connection=live]'

vi.setConfig({ testTimeout: 60_000 })

const dashboard = shareDashboard()
const isSignedIn = ({ headers }: IncomingMessage) => (headers.cookie ?? '').includes('shop=ann')

it('works under a path of the application, for those it knows, under their names', async () => {
  const engine = await openEngine({ url: (await sqlite.create()).url('normal') })
  onTestFinished(() => engine.close())
  const { url } = await mountOn(engine, {
    at: '/admin/queue',
    pageFolder: dashboard.folder,
    authorize: (request) => (isSignedIn(request) ? { actor: 'ann' } : null),
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
  await page.getByText('opens the queue where your application does').waitFor()
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
  await page.getByRole('heading', { name: 'There is nothing here' }).waitFor()
  expect(await page.getByTestId('actor').getAttribute('title')).toBe('Signed in as ann')

  // What the page says of tokens and command lines is true where the application decides.
  await page.goto(`${url}/settings?tab=tokens`)
  await page.getByText('Your application alone decides who comes in here').waitFor()
  await page.getByRole('button', { name: 'New token' }).click()
  expect(await page.getByText('the server asks everybody for a token').count()).toBe(0)
  await page.goto(`${url}/settings?tab=export`)
  await page.getByTestId('guarded').filter({ hasText: 'add what it asks for' }).waitFor()

  await page.context().clearCookies()
  await page.getByRole('navigation').getByRole('link', { name: 'Types' }).click()
  await page.getByRole('heading', { name: 'This application no longer lets you see its queue' }).waitFor()
  expect(await page.locator('[data-testid=connection-state]').textContent()).toBe('No access')
  await page.context().addCookies([{ name: 'shop', value: 'ann', url }])
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.waitForSelector(LIVE)

  await page.context().clearCookies()
  expect((await page.goto(url))?.status()).toBe(403)
  await page.getByRole('heading', { name: 'No access' }).waitFor()
  await page.getByText('sign in to it, then try again').waitFor()
  expect(problems).toEqual([])
})
