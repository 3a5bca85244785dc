/** Signing in to the dashboard in a real browser: a wrong token, a right one, and out again. */
import { expect, it, vi } from 'vitest'
import { add } from '../support/engine.ts'
import { sqlite } from '../support/places.ts'
import { describeServer, type StartServer } from '../support/server.ts'
import { shareDashboard } from './browser.ts'

const LIVE = '[data-testid=connection-state][data-connection=live]'

vi.setConfig({ testTimeout: 60_000 })

const dashboard = shareDashboard()

describeServer(
  'signing in',
  (startServer) => {
    const start: StartServer = (settings) => startServer(settings, { pageFolder: dashboard.folder })

    it('needs a right token, lasts over a reload, and ends when one leaves', async () => {
      const server = await start({ AUTH_TOKEN: 'a-secret', BASE_PATH: '/tools/queue' })
      const id = await add(server.engine, { type: 'behind-the-door' })
      const { page, problems } = await dashboard.open(server.url)
      const field = page.getByLabel('Token')
      await field.waitFor()
      expect(await field.evaluate((element) => element === document.activeElement)).toBe(true)
      await field.fill('not-the-secret')
      await field.press('Enter')
      await page.getByRole('alert').filter({ hasText: 'not valid here' }).waitFor()
      expect(await page.content()).not.toContain('behind-the-door')
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
      expect(await page.content()).not.toContain('behind-the-door')
      expect(await page.context().cookies()).toEqual([])
      expect(problems).toEqual([])
      const actions = (await server.engine.auditTrail()).map(({ actor, action }) => `${actor} ${action}`)
      expect(actions).toEqual(['token session.close', 'token session.open', 'nobody session.refused'])
    })

    it('ends by itself when the token is revoked', async () => {
      const server = await start()
      const { id, token } = await server.engine.createToken({ name: 'ops', scopes: ['read'] })
      const { page } = await dashboard.open(server.url)
      await page.getByLabel('Token').fill(token)
      await page.keyboard.press('Enter')
      await page.waitForSelector(LIVE)
      await server.engine.createToken({ scopes: ['admin'] })
      await server.engine.revokeToken({ id })
      await page.reload()
      await page.getByLabel('Token').waitFor()
      expect(await page.locator('[data-testid=connection-state]').textContent()).toBe('Not signed in')
    })
  },
  [sqlite],
)
