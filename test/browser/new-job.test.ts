/** New job page in a real browser: schema form, JSON editor, validation messages. */
import type { Page } from 'playwright-core'
import { expect, it, vi } from 'vitest'
import { sqlite } from '../support/places.ts'
import { startOn, type TestServer } from '../support/server.ts'
import { shareDashboard } from './support/browser.ts'

vi.setConfig({ testTimeout: 60_000 })

const dashboard = shareDashboard()

const PAYLOAD_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  required: ['to', 'template', 'copies', 'sender'],
  additionalProperties: false,
  properties: {
    to: { type: 'string', format: 'email' },
    template: { enum: ['welcome', 'reset'] },
    copies: { type: 'integer', minimum: 1, maximum: 5, default: 1 },
    urgent: { type: 'boolean', default: false },
    sender: { $ref: '#/$defs/person' },
    tags: { type: 'array', items: { type: 'string', minLength: 2 } },
    extra: { anyOf: [{ type: 'number' }, { type: 'object' }] },
  },
  $defs: { person: { type: 'object', required: ['name'], properties: { name: { type: 'string', minLength: 1 } } } },
}

async function openNew(query = ''): Promise<{ server: TestServer; page: Page; problems: readonly string[] }> {
  const server = await startOn(sqlite)({}, { pageFolder: dashboard.folder })
  await server.engine.declareTypes({ types: [{ name: 'email', settings: { payloadSchema: PAYLOAD_SCHEMA } }] })
  const { page, problems } = await dashboard.open(`${server.url}/new${query}`)
  await page.getByRole('combobox', { name: 'Type' }).waitFor()
  return { server, page, problems }
}

const problemsShown = async (page: Page) => (await page.getByTestId('problem').allTextContents()).sort()
const enqueue = (page: Page) => page.getByRole('button', { name: /^Enqueue/ }).click()

it('renders a form from the schema, rejects invalid input and enqueues valid input', async () => {
  const { server, page, problems } = await openNew()
  await page.getByRole('combobox', { name: 'Type' }).fill('email')
  await page.getByLabel('to', { exact: true }).waitFor()
  expect(await page.locator('#known-types option').getAttribute('value')).toBe('email')
  await page.getByLabel('copies').fill('9')
  await enqueue(page)
  expect(await problemsShown(page)).toEqual([
    'is required',
    'must be an email address, e.g. ada@example.com',
    'must be at most 5',
    'must not be empty',
  ])
  expect((await server.engine.list({})).jobs).toEqual([])

  await page.getByLabel('to', { exact: true }).fill('ada@example.com')
  await page.getByLabel('template').selectOption('reset')
  await page.getByLabel('copies').fill('2')
  await page.getByLabel('urgent').check()
  await page.getByLabel('name').fill('Bob')
  await page.getByRole('button', { name: 'Add tags' }).click()
  await page.getByLabel('tags 1', { exact: true }).fill('x')
  await page.getByLabel('extra').fill('{"a": }')
  await enqueue(page)
  expect(await problemsShown(page)).toEqual(['line 1, column 7: expected a value', 'must have at least 2 characters'])
  await page.getByLabel('tags 1', { exact: true }).fill('news')
  await page.getByLabel('extra').fill('{"a": 1}')
  await enqueue(page)
  await page.getByTestId('toast').filter({ hasText: 'Enqueued email' }).waitFor()

  await page.getByLabel('to', { exact: true }).fill('eve@example.com')
  await page.getByRole('button', { name: 'Enqueue another' }).click()
  await page.waitForFunction(() => document.querySelectorAll('[data-testid=enqueued] li').length === 2)
  const { jobs } = await server.engine.list({ payloads: true, sort: 'oldest' })
  const payload = {
    template: 'reset',
    copies: 2,
    urgent: true,
    sender: { name: 'Bob' },
    tags: ['news'],
    extra: { a: 1 },
  }
  expect(jobs.map((job) => job.payload)).toEqual([
    { ...payload, to: 'ada@example.com' },
    { ...payload, to: 'eve@example.com' },
  ])
  expect(problems).toEqual([])
})

it('keeps the payload when switching between form and JSON, and validates both', async () => {
  const { page, problems } = await openNew('?type=email')
  await page.getByLabel('to', { exact: true }).fill('ada@example.com')
  await page.getByRole('button', { name: 'Edit as JSON' }).click()
  const editor = page.getByLabel('Payload as JSON')
  expect(JSON.parse(await editor.inputValue())).toMatchObject({ to: 'ada@example.com', copies: 1 })
  await editor.fill('{"to": "bob@example.com", "colour": "red"}')
  expect(await problemsShown(page)).toContain('payload.colour is not allowed')
  await page.getByRole('button', { name: 'Use form' }).click()
  expect(await page.getByLabel('to', { exact: true }).inputValue()).toBe('bob@example.com')
  expect(problems).toEqual([])
})

it('keeps the draft in this tab until it is enqueued or reset', async () => {
  const { page, problems } = await openNew()
  const type = page.getByRole('combobox', { name: 'Type' })
  const written = () =>
    Promise.all([type, page.getByLabel('extra'), page.getByLabel('Priority')].map((f) => f.inputValue()))
  await type.fill('email')
  await page.getByLabel('extra').fill('{"a": ')
  await page.getByLabel('Priority').fill('7')
  // The nav link to the same page.
  await page.getByRole('link', { name: 'New job' }).click()
  await page.waitForURL(/\/new$/)
  expect(await written()).toEqual(['email', '{"a": ', '7'])
  await page.getByRole('link', { name: 'Overview' }).click()
  await page.getByRole('link', { name: 'New job' }).click()
  await page.waitForURL(/\/new$/)
  expect(await written()).toEqual(['email', '{"a": ', '7'])
  await page.reload()
  await page.getByLabel('extra').waitFor()
  expect(await written()).toEqual(['email', '{"a": ', '7'])
  await page.getByRole('button', { name: 'Reset' }).click()
  expect([await type.inputValue(), await page.getByLabel('Priority').inputValue()]).toEqual(['', ''])

  await type.fill('plain')
  await page.getByLabel('Priority').fill('8')
  await enqueue(page)
  await page.getByTestId('toast').filter({ hasText: 'Enqueued plain' }).waitFor()
  // The form keeps its input for another job; the next visit starts empty.
  expect(await page.getByLabel('Priority').inputValue()).toBe('8')
  await page.getByRole('link', { name: 'Overview' }).click()
  await page.getByRole('link', { name: 'New job' }).click()
  expect([await type.inputValue(), await page.getByLabel('Priority').inputValue()]).toEqual(['', ''])
  expect(problems).toEqual([])
})

it('reports line and column of invalid JSON, and shows commands for curl and queuectl', async () => {
  const { server, page, problems } = await openNew('?type=new_one')
  const editor = page.getByLabel('Payload as JSON')
  await editor.fill('{\n  "a": 1,\n  b: 2\n}')
  expect(await problemsShown(page)).toEqual(['Line 3, column 3: expected a property name in double quotes'])
  await enqueue(page)
  expect((await server.engine.list({})).jobs).toEqual([])
  await editor.fill(`{"a":"it's"}`)
  await page.getByRole('button', { name: 'Format' }).click()
  expect(await editor.inputValue()).toBe(`{\n  "a": "it's"\n}`)
  await page.getByLabel('Priority').fill('5')
  await page.getByText('After a delay').click()
  await page.getByLabel('Delay', { exact: true }).fill('1h30m')
  const [curl = '', queuectl = ''] = await page.locator('pre').allTextContents()
  expect(queuectl).toBe(
    `queuectl --url ${server.url} enqueue --type new_one --payload '{"a":"it'\\''s"}' --priority 5 --delay 1h30m`,
  )
  const [, url = '', body = ''] = /curl -X POST (\S+) -H \S+ \S+ -d '(.+)'$/.exec(curl) ?? []
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: body.replaceAll(`'\\''`, "'"),
  })
  expect(response.status).toBe(200)
  const [job] = (await server.engine.list({ payloads: true })).jobs
  expect(job).toMatchObject({ type: 'new_one', status: 'scheduled', priority: 5, payload: { a: "it's" } })
  expect(problems).toEqual([])
})

it('sends options, converts local time to UTC, and shows server errors at their fields', async () => {
  const { server, page, problems } = await openNew('?type=plain')
  await page.getByLabel('Max attempts').fill('0')
  await page.getByLabel('Timeout').fill('soon')
  expect(await problemsShown(page)).toEqual(['must be from 1 to 1000', 'must look like 30s, 10m, 1h30m or 7d'])
  await page.getByLabel('Max attempts').fill('3')
  await page.getByLabel('Timeout').fill('45s')
  await page.getByText('At a time').click()
  await page.getByLabel('Run at').fill('2040-05-17T09:30')
  const runAt = await page.evaluate(() => new Date('2040-05-17T09:30').getTime())
  await page.getByText(`${new Date(runAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`).waitFor()
  await page.getByLabel('Dedupe key').fill('k')
  await page.getByRole('combobox', { name: 'Type' }).fill('millrace.own')
  await enqueue(page)
  await page.getByTestId('problem').filter({ hasText: 'must not start with millrace.' }).waitFor()
  await page.getByRole('combobox', { name: 'Type' }).fill('plain')
  await enqueue(page)
  await page.getByTestId('toast').filter({ hasText: 'Enqueued plain' }).waitFor()
  await enqueue(page)
  await page.getByTestId('toast').filter({ hasText: 'Nothing was enqueued' }).waitFor()
  const { jobs } = await server.engine.list({})
  expect(jobs).toHaveLength(1)
  expect(jobs[0]).toMatchObject({ runAt, maxAttempts: 3, timeoutMs: 45_000, dedupeKey: 'k' })
  expect(problems).toEqual([])
})
