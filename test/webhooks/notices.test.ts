/** Webhook jobs: stored once, in the commit of the permanent failure. */
import { describe, expect, it } from 'vitest'
import type { Change } from '../../server/store/store.ts'
import { settingsUpdateInput } from '../../shared/contracts/operate.ts'
import { ATTEMPTS_LOST_ERROR } from '../../shared/job-errors.ts'
import { SECOND } from '../../shared/limits.ts'
import { WEBHOOK_TYPE } from '../../shared/reserved-types.ts'
import { hideSecrets, webhookFor } from '../../shared/settings/webhooks.ts'
import { add, describeEngine, held, type Opened, refused, started, take, until } from '../support/engine.ts'

const URL_SET = { set: { webhookUrl: 'https://hooks.example/all' } }

/** Changes of each commit during the test. */
function commits({ engine }: Opened): readonly (readonly Change[])[] {
  const all: (readonly Change[])[] = []
  const stop = engine.events.subscribe(({ event }) => {
    if (event.kind === 'jobs') all.push(event.changes)
  })
  closers.push(stop)
  return all
}

const closers: (() => void)[] = []
const stopListening = () => {
  for (const stop of closers.splice(0)) stop()
}

const noticesOf = async ({ engine }: Opened) =>
  (await engine.list({ type: WEBHOOK_TYPE, payloads: true })).jobs.map(({ payload }) => payload)

async function bulkIs({ engine, clock }: Opened, id: string, state: 'done' | 'undone'): Promise<void> {
  await clock.advance(0)
  await until(async () => (await engine.bulk({ id })).state === state)
}

describeEngine('a job that fails permanently', (open) => {
  it('stores a webhook job in the commit of the failure, without the payload', async () => {
    const opened = await open()
    const { engine, clock } = opened
    await engine.updateSettings(URL_SET)
    const job = await held(engine, { payload: { secret: 'of the customer' } })
    const seen = commits(opened)
    await engine.fail({ id: job.id, version: job.version, error: 'no route', retry: false })
    stopListening()
    expect(seen.length).toBe(1)
    expect(seen[0]).toEqual([
      { id: job.id, type: 'mail', from: 'processing', to: 'failed' },
      { id: expect.any(String), type: WEBHOOK_TYPE, from: null, to: 'pending' },
    ])
    const failed = { id: job.id, type: 'mail', attempts: 1, error: 'no route', failedAt: clock.now() }
    expect(await noticesOf(opened)).toEqual([{ event: 'job.failed', job: failed }])
    const notice = await engine.get({ id: seen[0]?.[1]?.id ?? '' })
    expect(notice).toMatchObject({ maxAttempts: 8, backoff: { kind: 'exponential' } })
    expect((await engine.types()).find(({ name }) => name === WEBHOOK_TYPE)?.kind).toBe('system')
  })

  it('stores one webhook job per failure, and another after a retry fails', async () => {
    const opened = await open()
    const { engine } = opened
    await engine.updateSettings(URL_SET)
    const job = await held(engine)
    const failure = { id: job.id, version: job.version, error: 'no route', retry: false }
    await engine.fail(failure)
    expect((await engine.fail(failure)).repeated).toBe(true)
    expect((await noticesOf(opened)).length).toBe(1)
    await engine.retry({ id: job.id })
    const again = await take(engine, { types: ['mail'] })
    await engine.fail({ ...failure, version: again.version })
    expect((await noticesOf(opened)).length).toBe(2)
  })

  it('stores a webhook job when the worker of the last attempt is lost', async () => {
    const opened = await started(open({ defaults: { maxAttempts: 1 } }))
    const { engine, clock } = opened
    await engine.updateSettings(URL_SET)
    const job = await held(engine, {}, { leaseMs: 10 * SECOND })
    await clock.advance(60 * SECOND)
    expect((await engine.get({ id: job.id })).status).toBe('failed')
    expect(await noticesOf(opened)).toEqual([
      { event: 'job.failed', job: expect.objectContaining({ id: job.id, error: ATTEMPTS_LOST_ERROR }) },
    ])
  })

  it('stores no webhook job without a webhook, for a retry, a cancellation or an undo', async () => {
    const opened = await started(open())
    const { engine } = opened
    const unasked = await held(engine)
    await engine.fail({ id: unasked.id, version: unasked.version, error: 'x', retry: false })
    await engine.updateSettings(URL_SET)
    const bulk = await engine.startBulk({ action: 'retry', filter: { status: ['failed'] }, undoMs: 10_000 })
    await bulkIs(opened, bulk.id, 'done')
    expect((await engine.get({ id: unasked.id })).status).toBe('pending')
    await engine.undoBulk({ id: bulk.id })
    await bulkIs(opened, bulk.id, 'undone')
    expect((await engine.get({ id: unasked.id })).status).toBe('failed')
    const again = await held(engine)
    await engine.fail({ id: again.id, version: again.version, error: 'x' })
    const stopped = await held(engine)
    await engine.fail({ id: stopped.id, version: stopped.version, error: 'x', cancel: true })
    await engine.cancel({ id: await add(engine) })
    expect(await noticesOf(opened)).toEqual([])
  })

  it('stores no webhook job for a failed webhook delivery', async () => {
    const opened = await open()
    const { engine } = opened
    await engine.updateSettings(URL_SET)
    const job = await held(engine)
    await engine.fail({ id: job.id, version: job.version, error: 'no route', retry: false })
    const notice = await take(engine, { types: [WEBHOOK_TYPE] })
    await engine.fail({ id: notice.id, version: notice.version, error: 'gone', retry: false })
    const { byType } = await engine.stats()
    expect(byType[WEBHOOK_TYPE]).toMatchObject({ failed: 1, pending: 0 })
    expect((await noticesOf(opened)).length).toBe(1)
  })

  it('stores webhook jobs beside other operations of a commit, and many in one commit', async () => {
    const opened = await open()
    const { engine } = opened
    await engine.updateSettings(URL_SET)
    const jobs = [await held(engine), await held(engine), await held(engine)]
    const seen = commits(opened)
    const settle = jobs.map(({ id, version }, n) =>
      n === 0
        ? { kind: 'complete' as const, id, version }
        : { kind: 'fail' as const, id, version, error: `no ${n}`, retry: false },
    )
    const taken = await engine.exchange({ worker: 'worker-1', settle, claim: { types: [WEBHOOK_TYPE], limit: 5 } })
    stopListening()
    expect([seen.length, taken.jobs.length, (await noticesOf(opened)).length]).toEqual([1, 2, 2])
  })

  it('a claim without types does not get webhook jobs', async () => {
    const opened = await open()
    const { engine } = opened
    await engine.updateSettings(URL_SET)
    const job = await held(engine)
    await engine.fail({ id: job.id, version: job.version, error: 'no route', retry: false })
    expect(await engine.claim({ worker: 'worker-1' })).toEqual([])
    expect((await refused(add(engine, { type: WEBHOOK_TYPE }))).code).toBe('BAD_INPUT')
    expect((await refused(engine.declareTypes({ types: [{ name: 'millrace.mine' }] }))).code).toBe('BAD_INPUT')
  })

  it('keeps the webhook secret out of responses and the audit trail', async () => {
    const { engine } = await open()
    await engine.updateSettings({ set: { webhookSecret: 'sixteen-characters-at-least', ...URL_SET.set } })
    expect(await engine.settings()).toEqual({ webhookSecret: '(hidden, write-only)', ...URL_SET.set })
    expect(JSON.stringify(await engine.auditTrail())).not.toContain('sixteen')
    expect((await engine.webhooks()).settings.webhookSecret).toBe('sixteen-characters-at-least')
    const read = await engine.settings()
    expect((await refused(engine.updateSettings({ set: read }))).code).toBe('BAD_INPUT')
  })
})

describe('webhook settings', () => {
  const urls = { webhookUrl: 'https://a.example/', webhookUrls: { 'mail.': 'https://b.example/', 'mail.bulk': null } }

  it.each([
    ['print', 'https://a.example/'],
    ['mail.one', 'https://b.example/'],
    ['mail.bulk.x', null],
    ['mail', 'https://a.example/'],
    [WEBHOOK_TYPE, null],
    ['millrace.anything', null],
  ])('failures of %s go to %s', (type, expected) => {
    expect(webhookFor(type, urls)).toBe(expected)
  })

  it('webhook settings do not mention a secret that is not set', () => {
    expect(hideSecrets({})).toEqual({})
  })
})

describe('a webhook address', () => {
  it.each([
    'ftp://hooks.example/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'https://user:pass@hooks.example/',
    'https://user@hooks.example/',
    'hooks.example/path',
    'http://',
    '',
  ])('refuses the webhook URL %s', (url) => {
    const good = 'https://hooks.example/'
    const fits = (set: unknown) => settingsUpdateInput.safeParse({ set }).success
    expect([fits({ webhookUrl: url }), fits({ webhookUrls: { mail: url } })]).toEqual([false, false])
    expect([fits({ webhookUrl: good }), fits({ webhookUrls: { mail: good, fax: null } })]).toEqual([true, true])
  })
})
