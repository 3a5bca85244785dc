/** Workers page in a real browser: status, running jobs and drain. */
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
  'Workers page',
  (startServer) => {
    it('shows new workers, their running jobs and missing heartbeats, and drains one', async () => {
      const server = await startServer({}, { pageFolder: dashboard.folder })
      const { engine } = server
      const { page, problems } = await dashboard.open(`${server.url}/workers`)
      await page.waitForSelector(LIVE)
      await page.getByText('No worker is online').waitFor()
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
      await worker.getByText('This worker is running no jobs.').waitFor()
      const all = worker.getByRole('link', { name: 'All jobs of this worker' })
      expect(await all.getAttribute('href')).toBe('/jobs?view=table&q=worker%3Amedia-1')

      await page.getByRole('button', { name: 'Drain media-1' }).click()
      await page.getByRole('button', { name: 'Drain worker' }).click()
      await worker.getByText('draining').waitFor()
      const isDraining = async () =>
        (await engine.workers()).find(({ name }) => name === 'media-1')?.drainRequestedAt !== null
      await until(isDraining)
      await page.getByRole('button', { name: 'Undo drain of media-1' }).click()
      await page.getByTestId('toast').filter({ hasText: 'claims jobs again' }).waitFor()
      expect(await isDraining()).toBe(false)
      expect(problems).toEqual([])
    })

    it('shows the slots and the version that workers report', async () => {
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
      await held(server.engine, { type: 'other' }, { worker: 'reports-nothing' })
      for (let n = 0; n < 3; n++) await add(server.engine, { type: 'resize', payload: {} })
      await until(() => gate.waiting === 3)
      const { page, problems } = await dashboard.open(`${server.url}/workers`)
      const row = (name: string) => page.locator(`[data-worker=${name}]`)
      const slots = (name: string, text: RegExp) => row(name).getByRole('button', { name: text }).waitFor()
      await row('deployed').getByText('shop 2.14.0').waitFor()
      await slots('deployed', /^\d \/ 10 slots in use by deployed$/)
      await row('plain').getByText(WORKER_VERSION).waitFor()
      await slots('plain', /^\d \/ 1,000 slots in use by plain$/)
      await slots('reports-nothing', /^1 \/ unknown slots in use by reports-nothing$/)
      const shown = async (name: string) => Number((await row(name).getByRole('button').first().innerText())[0])
      expect((await shown('deployed')) + (await shown('plain'))).toBe(3)

      // A changed report applies immediately.
      await server.engine.claim({ worker: 'reports-nothing', types: ['other'], about: { slots: 2, version: 'v2' } })
      await row('reports-nothing').getByText('v2').waitFor()
      await slots('reports-nothing', /^1 \/ 2 slots/)
      expect(problems).toEqual([])
    })
  },
  [sqlite],
)
