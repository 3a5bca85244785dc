/** The page of workers in a real browser: who is there, what they hold, and asking one to go. */
import { expect, it, vi } from 'vitest'
import { held, until } from '../support/engine.ts'
import { sqlite } from '../support/places.ts'
import { describeServer } from '../support/server.ts'
import { shareDashboard } from './browser.ts'

const LIVE = '[data-testid=connection-state][data-connection=live]'

vi.setConfig({ testTimeout: 60_000 })

const dashboard = shareDashboard()

describeServer(
  'the page of workers',
  (startServer) => {
    it('shows workers as they come, what they hold and who is silent, and drains one', async () => {
      const server = await startServer({}, { pageFolder: dashboard.folder })
      const { engine } = server
      const { page, problems } = await dashboard.open(`${server.url}/workers`)
      await page.waitForSelector(LIVE)
      await page.getByText('Nobody works on this queue').waitFor()
      const commands = (await page.locator('pre').allTextContents()).join('\n')
      expect(commands).toContain(`openQueue('${server.url}'`)
      expect(commands).toContain(`queuectl --url ${server.url} worker start`)

      const job = await held(engine, { type: 'resize' }, { worker: 'media-1' })
      await held(engine, { type: 'resize' }, { worker: 'a-silent-one' })
      const worker = page.locator('[data-worker=media-1]')
      await worker.waitFor()
      await page.locator('[data-worker=a-silent-one]').waitFor()
      await server.place.sql(`UPDATE workers SET seen_at = seen_at - 120000 WHERE name = 'a-silent-one'`)
      await page.locator('[data-worker=a-silent-one][data-online=false]').waitFor()
      const names = await page.locator('[data-worker]').evaluateAll((rows) => rows.map((row) => row.dataset.worker))
      expect(names).toEqual(['media-1', 'a-silent-one'])

      await worker.getByRole('button', { name: '1 job of media-1' }).click()
      const link = worker.getByRole('link', { name: 'resize' })
      expect(await link.getAttribute('href')).toBe(`/jobs/${job.id}`)
      expect(new URL(page.url()).searchParams.getAll('open')).toEqual(['media-1'])
      await engine.complete({ id: job.id, version: job.version })
      await worker.getByText('It holds no job at the moment.').waitFor()

      await page.getByRole('button', { name: 'Drain media-1' }).click()
      await page.getByRole('button', { name: 'Drain it' }).click()
      await worker.getByText('draining').waitFor()
      const isDraining = async () =>
        (await engine.workers()).find(({ name }) => name === 'media-1')?.drainRequestedAt !== null
      await until(isDraining)
      await page.getByRole('button', { name: 'Take media-1 back' }).click()
      await page.getByTestId('toast').filter({ hasText: 'back in service' }).waitFor()
      expect(await isDraining()).toBe(false)
      expect(problems).toEqual([])
    })
  },
  [sqlite],
)
