/** The page of workers in a real browser: who is there, what they hold, and asking one to go. */
import { expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { WORKER_VERSION } from '../../server/base/version.ts'
import { createWorker, defineJobs, openQueue } from '../../server/index.ts'
import { add, held, until } from '../support/engine.ts'
import { sqlite } from '../support/places.ts'
import { describeServer } from '../support/server.ts'
import { gated } from '../support/worker.ts'
import { shareDashboard } from './support/browser.ts'

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
      await page.locator('[data-worker=a-silent-one][data-signs=reporting]').waitFor()
      await server.place.sql(`UPDATE millrace_workers SET seen_at = seen_at + 600000 WHERE name = 'media-1'`)
      await server.place.sql(`UPDATE millrace_workers SET seen_at = seen_at - 32000 WHERE name = 'a-silent-one'`)
      await page.locator('[data-worker=a-silent-one][data-signs=stale]').getByText('not reporting').waitFor()
      await page.getByText('1 online, 1 not reporting.').waitFor()
      await server.place.sql(`UPDATE millrace_workers SET seen_at = seen_at - 120000 WHERE name = 'a-silent-one'`)
      await page.locator('[data-worker=a-silent-one][data-signs=gone]').waitFor()
      const names = await page.locator('[data-worker]').evaluateAll((rows) => rows.map((row) => row.dataset.worker))
      expect(names).toEqual(['media-1', 'a-silent-one'])

      await worker.getByRole('button', { name: '1 / unknown slots in use by media-1' }).click()
      const link = worker.getByRole('link', { name: 'resize' })
      expect(await link.getAttribute('href')).toBe(`/jobs/${job.id}`)
      expect(new URL(page.url()).searchParams.getAll('open')).toEqual(['media-1'])
      await engine.complete({ id: job.id, version: job.version })
      await worker.getByText('It holds no job at the moment.').waitFor()
      const all = worker.getByRole('link', { name: 'All its jobs' })
      expect(await all.getAttribute('href')).toBe('/jobs?view=table&q=worker%3Amedia-1')

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

    it('shows what workers say of themselves: how many slots, and which version', async () => {
      const server = await startServer({}, { pageFolder: dashboard.folder })
      const jobs = defineJobs({ resize: { payload: z.object({}) } })
      const gate = gated(null)
      for (const options of [
        { name: 'deployed', concurrency: 10, version: 'shop 2.14.0' },
        { name: 'plain', concurrency: 1_000 },
      ]) {
        const worker = createWorker(await openQueue(server.url), jobs, { resize: gate.handler }, options)
        onTestFinished(() => worker.stop({ graceMs: 0 }))
      }
      await until(async () => (await server.engine.workers()).length === 2)
      await held(server.engine, { type: 'other' }, { worker: 'silent-about-itself' })
      for (let n = 0; n < 3; n++) await add(server.engine, { type: 'resize', payload: {} })
      await until(() => gate.waiting === 3)
      const { page, problems } = await dashboard.open(`${server.url}/workers`)
      const row = (name: string) => page.locator(`[data-worker=${name}]`)
      const slots = (name: string, words: RegExp) => row(name).getByRole('button', { name: words }).waitFor()
      await row('deployed').getByText('shop 2.14.0').waitFor()
      await slots('deployed', /^\d \/ 10 slots in use by deployed$/)
      await row('plain').getByText(WORKER_VERSION).waitFor()
      await slots('plain', /^\d \/ 1,000 slots in use by plain$/)
      await slots('silent-about-itself', /^1 \/ unknown slots in use by silent-about-itself$/)
      const shown = async (name: string) => Number((await row(name).getByRole('button').first().innerText())[0])
      expect((await shown('deployed')) + (await shown('plain'))).toBe(3)

      // A worker that says something new of itself is believed at once.
      await server.engine.claim({ worker: 'silent-about-itself', types: ['other'], about: { slots: 2, version: 'v2' } })
      await row('silent-about-itself').getByText('v2').waitFor()
      await slots('silent-about-itself', /^1 \/ 2 slots/)
      expect(problems).toEqual([])
    })
  },
  [sqlite],
)
