/** Sign-in and sign-out in a real browser, with invalid tokens and several tabs. */
import type { Page } from 'playwright-core'
import { expect, it, vi } from 'vitest'
import { add } from '../../support/engine.ts'
import { sqlite } from '../../support/places.ts'
import { describeServer, type StartServer } from '../../support/server.ts'
import { shareDashboard } from '../support/browser.ts'

const LIVE = '[data-testid=connection-state][data-connection=live]'

const READS = /\/trpc\/(?!events)/
/** Shorter than the polling interval of a page. */
const SOON = { timeout: 10_000 }

vi.setConfig({ testTimeout: 60_000 })

const dashboard = shareDashboard()

async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('Token').fill(token)
  await page.keyboard.press('Enter')
}

/** Delays the next response to GET /session until `until`. Resolves when that response has arrived. */
function holdSessionResponse(page: Page, until: Promise<unknown>): Promise<void> {
  let isHeld = false
  return new Promise((resolve) => {
    void page.route(/\/session$/, async (route) => {
      if (isHeld || route.request().method() !== 'GET') return route.fallback()
      isHeld = true
      const response = await route.fetch()
      resolve()
      await until
      await route.fulfill({ response })
    })
  })
}

describeServer(
  'sign-in',
  (startServer) => {
    const start: StartServer = (settings) => startServer(settings, { pageFolder: dashboard.folder })

    it('requires a valid token, survives a reload, and ends with sign-out', async () => {
      const server = await start({ AUTH_TOKEN: 'a-secret', BASE_PATH: '/tools/queue' })
      const id = await add(server.engine, { type: 'behind-sign-in' })
      const { page, problems } = await dashboard.open(server.url)
      const field = page.getByLabel('Token')
      await field.waitFor()
      expect(await field.evaluate((element) => element === document.activeElement)).toBe(true)
      await field.fill('not-the-secret')
      await field.press('Enter')
      await page.getByRole('alert').filter({ hasText: 'not valid here' }).waitFor()
      expect(await page.content()).not.toContain('behind-sign-in')
      await field.fill('a-secret')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.waitForSelector(LIVE)
      await page.waitForSelector(`[data-job-id="${id}"]`)
      await page.reload()
      await page.waitForSelector(`[data-job-id="${id}"]`)
      const [cookie] = await page.context().cookies()
      expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', secure: false, path: '/tools/queue' })
      await page.getByRole('button', { name: 'Sign out' }).click()
      await field.waitFor()
      expect(await page.content()).not.toContain('behind-sign-in')
      expect(await page.context().cookies()).toEqual([])
      expect(problems).toEqual([])
      const actions = (await server.engine.auditTrail()).map(({ actor, action }) => `${actor} ${action}`)
      expect(actions).toEqual([
        'token session.close',
        'token session.open',
        'nobody session.refused', // plain-words: actor name in the audit trail
      ])
    })

    it('ends when the token is revoked, and continues at the same URL with another token', async () => {
      const server = await start()
      const { id, token } = await server.engine.createToken({ name: 'ops', scopes: ['read'] })
      const other = await server.engine.createToken({ name: 'later', scopes: ['read', 'admin'] })
      const job = await add(server.engine, { type: 'behind-sign-in' })
      const address = `${server.url}/jobs?view=table&q=type%3Abehind-sign-in`
      const { page } = await dashboard.open(address)
      await signIn(page, token)
      await page.waitForSelector(LIVE)
      await page.waitForSelector(`[data-job-id="${job}"]`)
      expect(await page.getByTestId('actor').textContent()).toBe('Signed in as ops')
      // The closed event stream is the only signal: browsers do not expose the reason.
      await page.route(READS, () => {})
      await server.engine.revokeToken({ id })
      await page.getByText('You have been signed out').waitFor()
      await page.unroute(READS)
      expect(await page.locator('[data-testid=connection-state]').textContent()).toBe('Not signed in')
      expect(await page.locator('[data-job-id]').count()).toBe(0)
      await signIn(page, other.token)
      await page.waitForSelector(LIVE)
      await page.waitForSelector(`[data-job-id="${job}"]`)
      expect([page.url(), await page.getByTestId('actor').textContent()]).toEqual([address, 'Signed in as later'])
    })

    it('keeps unsent input for the same user only, until sign-out', async () => {
      const server = await start({ AUTH_TOKEN: 'a-secret' })
      const other = await server.engine.createToken({ name: 'other', scopes: ['read', 'produce', 'admin'] })
      const { page, problems } = await dashboard.open(`${server.url}/settings?tab=webhooks`)
      const secret = page.getByLabel('Secret', { exact: true })
      const priority = page.getByLabel('Priority')
      const write = async () => {
        await secret.fill('sixteen-characters-or-more')
        await page.getByRole('link', { name: 'New job' }).click()
        await priority.fill('7')
        await page.getByText('Draft saved in this tab').waitFor()
      }
      const written = async () => {
        const job = await priority.inputValue()
        await page.getByRole('link', { name: 'Settings' }).click()
        await page.getByRole('tab', { name: 'Webhooks' }).click()
        return [job, await secret.inputValue()]
      }
      /** Simulates an expired session. */
      const comeBack = async (token: string) => {
        await page.context().clearCookies()
        await page.keyboard.press('g')
        await page.keyboard.press('o')
        await signIn(page, token)
        await page.getByRole('link', { name: 'New job' }).click()
      }
      await signIn(page, 'a-secret')
      await write()
      await priority.blur()
      await comeBack('a-secret')
      expect(await written()).toEqual(['7', 'sixteen-characters-or-more'])
      await comeBack(other.token)
      expect(await written()).toEqual(['', ''])

      await write()
      await page.getByRole('button', { name: 'Sign out' }).click()
      await signIn(page, other.token)
      expect(await written()).toEqual(['', ''])
      expect(problems).toEqual([])
    })

    it('applies to all tabs at once, and an action after sign-out leads to the form', async () => {
      const server = await start({ AUTH_TOKEN: 'a-secret' })
      await add(server.engine, { type: 'behind-sign-in' })
      const { page: first, problems } = await dashboard.open('about:blank')
      // Event streams stay silent, so that tabs must notify each other.
      await first.context().route(/\/trpc\/events/, () => {})
      await first.goto(server.url)
      await signIn(first, 'a-secret')
      await first.getByRole('button', { name: 'Sign out' }).waitFor()
      await first.getByRole('link', { name: 'New job' }).click()
      await first.getByLabel('Priority').fill('7')
      await first.getByRole('link', { name: 'Overview' }).click()
      const second = await first.context().newPage()
      await second.goto(`${server.url}/settings?tab=theme`)
      const isBack = first
        .waitForResponse((answer) => answer.request().method() === 'POST' && answer.url().endsWith('/session'))
        .then(() => first.getByRole('button', { name: 'Sign out' }).waitFor())
      const signOut = second.getByRole('button', { name: 'Sign out' })
      await signOut.waitFor()
      const isHeld = holdSessionResponse(second, isBack)
      await signOut.click()
      await isHeld
      await first.getByText('You have been signed out').waitFor(SOON)
      expect(await first.content()).not.toContain('behind-sign-in')
      await signIn(first, 'a-secret')
      await isBack
      await second.getByRole('tab', { name: 'Theme' }).waitFor(SOON)
      // Sign-out clears unsent input in all tabs.
      await first.getByRole('link', { name: 'New job' }).click()
      expect(await first.getByLabel('Priority').inputValue()).toBe('')
      await first.getByRole('link', { name: 'Overview' }).click()
      await first.waitForSelector('[data-job-id]')

      await first.context().clearCookies()
      await first.getByRole('button', { name: 'Pause the queue' }).click()
      await first.getByLabel('Token').waitFor(SOON)
      await second.getByLabel('Token', { exact: true }).waitFor(SOON)
      await first.getByTestId('toast').filter({ hasText: 'You have been signed out.' }).waitFor()
      expect(await first.content()).not.toContain('Authorization')
      expect((await server.engine.settings()).paused).toBeFalsy()
      expect(problems).toEqual([])
    })
  },
  [sqlite],
)
