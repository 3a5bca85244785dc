/** Webhook settings with queuectl; the secret is never shown. */
import { expect, it } from 'vitest'
import { describeBackends } from '../cli/backends.ts'

const SECRET = '1234567890123456'

describeBackends('webhook settings', (open) => {
  it('webhook settings are set, shown and removed, and the secret is never shown', async () => {
    const { ctl, ctlWith, queue } = await open()
    const url = 'https://hooks.example/all'
    expect((await ctl('config', 'set', 'webhook-url', url)).stdout).toBe(`${JSON.stringify(url)}\n`)
    expect(await ctl('config', 'set', 'webhookUrls', '{"mail.":null}')).toMatchObject({ code: 0 })
    const byStdin = await ctlWith({ stdin: `${SECRET}\n` }, 'config', 'set', 'webhookSecret', '-')
    const byHand = await ctl('config', 'set', 'webhookSecret', SECRET, '--json')
    const short = await ctl('config', 'set', 'webhookSecret', SECRET.slice(1))
    const shown = [await ctl('config', 'list'), await ctl('config', 'get', 'webhookSecret', '--json')]
    expect([byStdin.code, byHand.code, short.code, ...shown.map(({ code }) => code)]).toEqual([0, 0, 2, 0, 0])
    for (const { stdout, stderr } of [byStdin, byHand, short, ...shown]) {
      expect(stdout + stderr).not.toContain(SECRET.slice(1))
    }
    expect(await queue.settings()).toEqual({
      webhookUrl: url,
      webhookUrls: { 'mail.': null },
      webhookSecret: '(hidden, write-only)',
    })
    await ctl('config', 'unset', 'webhookSecret')
    expect(await queue.settings()).not.toHaveProperty('webhookSecret')
  })

  it('refuses a webhook URL that may not be called', async () => {
    const { ctl, queue } = await open()
    expect(await ctl('config', 'set', 'webhookUrl', 'ftp://hooks.example/')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('must be an http or https address without credentials'),
    })
    expect(await queue.settings()).toEqual({})
  })
})
