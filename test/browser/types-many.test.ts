/** Types page with many types in a real browser: paging, stable sorting and search. */
import { expect, it, vi } from 'vitest'
import { add } from '../support/engine.ts'
import { sqlite } from '../support/places.ts'
import { startOn } from '../support/server.ts'
import { shareDashboard } from './support/browser.ts'

vi.setConfig({ testTimeout: 60_000 })

const dashboard = shareDashboard()

it('shows a hundred types at a time, sorts only on request, and finds all of them', async () => {
  const { engine, url } = await startOn(sqlite)({ DURABILITY: 'normal' }, { pageFolder: dashboard.folder })
  const names = Array.from({ length: 230 }, (_, n) => `type-${String(n).padStart(3, '0')}`)
  for (const part of [names.slice(0, 150), names.slice(150)])
    await engine.declareTypes({ types: part.map((name) => ({ name })) })
  for (let n = 0; n < 3; n++) await add(engine, { type: 'type-200' })
  await add(engine, { type: 'type-150' })
  const { page, problems } = await dashboard.open(`${url}/types`)
  const shown = () =>
    page.locator('[data-type]').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-type')))
  await page.getByText('100 of 230 types').waitFor()
  expect(await shown()).toEqual(names.slice(0, 100))
  await page.getByRole('button', { name: 'Show 100 more' }).click()
  await page.getByText('200 of 230 types').waitFor()
  expect((await shown()).length).toBe(200)

  await page.getByLabel('Sort by').selectOption('Largest backlog')
  await page.waitForURL(/sort=backlog/)
  await expect.poll(async () => (await shown()).slice(0, 3)).toEqual(['type-200', 'type-150', 'type-000'])
  for (let n = 0; n < 5; n++) await add(engine, { type: 'type-150' })
  await page.locator('[data-type="type-150"]').getByText('6', { exact: true }).waitFor()
  expect((await shown()).slice(0, 2)).toEqual(['type-200', 'type-150'])
  await page.reload()
  await expect.poll(async () => (await shown()).slice(0, 2)).toEqual(['type-150', 'type-200'])

  await page.getByLabel('Find a type').fill('type-229')
  await expect.poll(shown).toEqual(['type-229'])
  expect(problems).toEqual([])
})
