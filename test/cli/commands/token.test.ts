/** `queuectl token` on all three backends. */
import { describe, expect, it } from 'vitest'
import { describeBackends, openBackend } from '../backends.ts'
import { queuectl } from '../terminal.ts'

describeBackends('tokens', (open, kind) => {
  it('are created, shown once, listed and revoked', async () => {
    const { ctlWith, place, ctl } = await open()
    const name = ['--name', 'ops']
    const made = await ctl('token', 'create', '--scopes', 'read,admin', ...name)
    expect(made.stdout).toMatch(/^mr_[\w-]{43}\n$/)
    expect([made.code, made.stderr]).toEqual([
      0,
      'Token ops created. Copy it now: it is not shown again.\n' +
        'This is the first token: from now on the server requires a token.\n',
    ])
    // From now on a server requires it.
    const env = { AUTH_TOKEN: made.stdout.trim() }
    const ask = (...argv: readonly string[]) => ctlWith({ env }, ...argv)
    const expected = kind === 'server' ? 1 : 0
    expect((await ctl('token', 'list')).code).toBe(expected)
    const more = await ask(
      'token',
      'create',
      '--scopes',
      'work',
      '--type-prefix',
      'mail.',
      '--expires',
      '30d',
      '--json',
    )
    expect(more.json).toEqual([
      expect.objectContaining({ scopes: ['work'], typePrefix: 'mail.', token: expect.stringMatching(/^mr_/) }),
    ])
    const [second] = more.json
    const listed = await ask('token', 'list')
    expect(listed.stdout).toMatch(/^\S{36} {2}ops +read,admin +all +(?:never|now|.* ago) +never/m)
    expect(listed.stdout).toMatch(/^\S{36} {2}token-\w{8} +work +mail\.\* +never +in 30 d/m)
    expect(listed.stderr).toBe('2 tokens.\n')
    expect(`${listed.stdout}${(await ask('token', 'ls', '--json')).stdout}`).not.toContain('mr_')
    const part = String(second?.id).slice(-12)
    expect((await ask('token', 'revoke', part, '--json')).json).toEqual([
      { id: second?.id, name: second?.name, changed: true },
    ])
    expect(await ask('token', 'revoke', 'opps')).toMatchObject({
      code: 3,
      stderr: 'There is no token opps; did you mean ops?\n',
    })
    expect(await ask('token', 'create', '--scopes', 'read', ...name)).toMatchObject({ code: 4, stdout: '' })
    const revoked = await ask('token', 'revoke', 'ops')
    expect([revoked.code, revoked.stderr]).toEqual([
      0,
      'Token ops revoked; other servers on this database follow within a second.\n',
    ])
    const trail = await place.sql('SELECT actor, action FROM millrace_audit ORDER BY id')
    const by =
      kind === 'server'
        ? ['local', 'token:ops', 'token:ops', 'token:ops']
        : Array(4).fill(expect.stringMatching(/^queuectl/))
    expect(trail).toEqual(
      ['tokens.create', 'tokens.create', 'tokens.revoke', 'tokens.revoke'].map((action, n) => ({
        actor: by[n],
        action,
      })),
    )
    expect(await ctl('token', 'list')).toMatchObject({ code: 0, stdout: '', stderr: 'No tokens yet.\n' })
  })
})

describe('a token', () => {
  it.each([
    [[], /[Rr]equired option '--scopes <list>' not specified/],
    [['--scopes', 'raed'], /Did you mean read\?/],
    [['--scopes', 'everything'], /Each must be produce, work, read or admin\./],
    [['--scopes', 'read', '--expires', 'soon'], /It must look like 30s/],
  ])('is not created with the options %j', async (options, message) => {
    const ran = await queuectl(['token', 'create', ...options])
    expect([ran.code, ran.stdout]).toEqual([2, ''])
    expect(ran.stderr).toMatch(message)
  })

  it('in the database lets config check accept a public address', async () => {
    const { ctlWith, ctl } = await openBackend('file')
    const check = () => ctlWith({ env: { HOST: '0.0.0.0' } }, 'config', 'check')
    expect(await check()).toMatchObject({ code: 1, stderr: expect.stringContaining('would give anyone full access') })
    await ctl('token', 'create', '--scopes', 'read')
    expect((await check()).code).toBe(0)
  })
})
