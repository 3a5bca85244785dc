/** Redaction: rules, masking, clones of masked jobs, and every page in a real browser. */
import { describe, expect, it, vi } from 'vitest'
import { draftFrom, readDraft } from '../../../client/features/new-job/draft/draft.ts'
import { hasUnresolvedMask } from '../../../client/lib/unresolved-mask.ts'
import { isRedacted, REDACTED, redact, ruleProblem, unredact } from '../../../shared/redaction/redaction.ts'
import { add, take } from '../../support/engine.ts'
import { sqlite } from '../../support/places.ts'
import { startOn } from '../../support/server.ts'
import { shareDashboard } from '../support/browser.ts'

vi.setConfig({ testTimeout: 60_000 })

const dashboard = shareDashboard()
const PAYLOAD = { user: 'ada', card: { number: '4111', cvc: 1 }, items: [{ pin: 1 }, { pin: 2, deep: { pin: [3] } }] }

describe('redaction', () => {
  it.each([
    ['payload.card', { ...PAYLOAD, card: REDACTED }],
    ['payload.card.*', { ...PAYLOAD, card: { number: REDACTED, cvc: REDACTED } }],
    ['payload.items.0.pin', { ...PAYLOAD, items: [{ pin: REDACTED }, PAYLOAD.items[1]] }],
    ['payload.items.*.pin', { ...PAYLOAD, items: [{ pin: REDACTED }, { pin: REDACTED, deep: { pin: [3] } }] }],
    ['payload.**.pin', { ...PAYLOAD, items: [{ pin: REDACTED }, { pin: REDACTED, deep: { pin: REDACTED } }] }],
    ['payload', REDACTED],
    ['payload.**', REDACTED],
    ['payload.nothing.here', PAYLOAD],
    ['result.card', PAYLOAD],
  ])('masks the values that %s matches', (rule, shown) => {
    expect(redact(PAYLOAD, 'payload', [rule])).toEqual(shown)
  })

  it('does not modify the document, and returns the same object when no rule matches', () => {
    const copy = structuredClone(PAYLOAD)
    redact(PAYLOAD, 'payload', ['payload.card.*'])
    expect(PAYLOAD).toEqual(copy)
    expect(redact(PAYLOAD, 'payload', ['result.x'])).toBe(PAYLOAD)
  })

  it('handles a __proto__ key', () => {
    const hostile: unknown = JSON.parse('{"__proto__":{"secret":1},"a":1}')
    expect(JSON.stringify(redact(hostile, 'payload', ['payload.a']))).toBe(
      `{"__proto__":{"secret":1},"a":"${REDACTED}"}`,
    )
  })

  it('is decided for single paths, including those below a masked one', () => {
    const rules = ['payload.card.*', 'payload.**.password']
    const hidden = (path: string) => isRedacted(path.split('.'), rules)
    expect(
      [
        'payload',
        'payload.card',
        'payload.card.number',
        'payload.card.number.last',
        'payload.a.b.password',
        'result.card.x',
      ].map(hidden),
    ).toEqual([false, false, true, true, true, false])
  })

  it.each([
    ['payload.card.*', true],
    ['result', true],
    ['payload.**.password', true],
    ['card.number', false],
    ['payload..x', false],
    ['payload.a b', false],
    ['payload.x*', false],
    ['', false],
  ])('validates the rule %j', (rule, isRule) => {
    expect(ruleProblem(rule) === null).toBe(isRule)
  })
})

describe('unmasking an edited clone', () => {
  const rules = ['payload.card.*', 'payload.items.*.pin']
  const shown: unknown = redact(PAYLOAD, 'payload', rules)
  const edited = (change: object) => unredact({ ...structuredClone(Object(shown)), ...change }, shown, PAYLOAD)

  it('restores masks that are still in place, whatever changes around them', () => {
    expect(unredact(structuredClone(shown), shown, PAYLOAD)).toEqual(PAYLOAD)
    expect(edited({ user: 'bob' })).toEqual({ ...PAYLOAD, user: 'bob' })
    expect(edited({ card: { number: REDACTED, cvc: 2 } })).toEqual({ ...PAYLOAD, card: { number: '4111', cvc: 2 } })
  })

  it('does not guess the value of moved masks, and reports them', () => {
    const moved = edited({ items: [{ pin: REDACTED }] })
    expect([moved, hasUnresolvedMask(moved, PAYLOAD)]).toEqual([{ ...PAYLOAD, items: [{ pin: REDACTED }] }, true])
    expect(hasUnresolvedMask(edited({ other: { pin: REDACTED } }), PAYLOAD)).toBe(true)
    expect(hasUnresolvedMask(PAYLOAD, PAYLOAD)).toBe(false)
  })

  it('accepts mask characters that the original job itself contains', () => {
    const payload = { label: `Visa ${REDACTED}4242`, masks: [REDACTED], card: { number: '4111' } }
    const options = { priority: 0, maxAttempts: null, timeoutMs: null, groupKey: null, backoff: null }
    const draft = draftFrom({ payload, ...options }, ['payload.card.number'])
    const read = (value: unknown) =>
      readDraft({ ...draft, payload: { by: 'form', value } }, 'pay', { schema: null, kind: 'job', keyPointer: null })
    const shown = { ...payload, card: { number: REDACTED } }
    expect(read(shown)).toMatchObject({ isReady: true, input: { payload } })
    expect(read({ ...shown, label: `Visa ${REDACTED}1881` })).toMatchObject({ isReady: true })
    expect(read({ ...shown, masks: [REDACTED, REDACTED] })).toMatchObject({ isReady: false })
  })
})

describe('redaction in the dashboard', () => {
  it('masks payload and result, also when copied, and clones without showing them', async () => {
    const server = await startOn(sqlite)({}, { pageFolder: dashboard.folder })
    const { engine } = server
    const payload = { user: 'ada', card: { number: 'secret-4111' } }
    const id = await add(engine, { payload })
    const { version } = await take(engine)
    await engine.complete({ id, version, result: { receipt: 'secret-receipt', paid: true } })
    const { page, problems } = await dashboard.open(server.url, { permissions: ['clipboard-read', 'clipboard-write'] })
    await page.evaluate(() => localStorage.setItem('millrace.redaction', '["payload.card.*","result.receipt"]'))
    const isHidden = async () => expect(await page.content()).not.toContain('secret-')
    for (const path of ['', 'jobs?open=completed', 'jobs?view=table']) {
      await page.goto(`${server.url}/${path}`)
      await page.waitForSelector(`[data-job-id="${id}"]`)
      await isHidden()
    }
    await page.goto(`${server.url}/jobs/${id}`)
    await page.getByTestId('json-payload').getByText(REDACTED).waitFor()
    await page.getByTestId('json-result').getByText(REDACTED).waitFor()
    await isHidden()
    await page.getByRole('button', { name: 'Copy the whole payload' }).click()
    await page.getByText('Copied', { exact: true }).waitFor()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    expect(JSON.parse(copied)).toEqual({ user: 'ada', card: { number: REDACTED } })

    await page.getByRole('link', { name: 'Clone' }).click()
    const editor = page.getByLabel('Payload as JSON')
    await editor.waitFor()
    await isHidden()
    const text = await editor.inputValue()
    expect(text).not.toContain('secret-')
    await editor.fill(JSON.stringify({ moved: { number: REDACTED } }))
    await page.getByRole('button', { name: 'Enqueue', exact: true }).click()
    await page.getByTestId('problem').filter({ hasText: 'replace it with the actual value' }).waitFor()
    await editor.fill(text.replace('ada', 'bob'))
    await page.getByRole('button', { name: 'Enqueue', exact: true }).click()
    await page.getByTestId('toast').filter({ hasText: 'Enqueued mail' }).waitFor()
    const { jobs } = await engine.list({ status: ['pending'], payloads: true })
    expect(jobs.map((job) => job.payload)).toEqual([{ ...payload, user: 'bob' }])
    expect(problems).toEqual([])
  })
})
