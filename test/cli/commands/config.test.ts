/** `queuectl config`: settings of the queue and of the environment. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ENGINE_SETTINGS } from '../../../server/base/config/config.ts'
import { SERVER_SETTINGS } from '../../../server/base/config/server-config.ts'
import { queueSettingsSchema } from '../../../shared/settings/settings.ts'
import { tempFolder } from '../../support/temp.ts'
import { describeBackends, openBackend } from '../backends.ts'
import { queuectl } from '../terminal.ts'

describeBackends('the settings of the queue', (open, kind) => {
  it('can be set, read, listed and removed', async () => {
    const { ctl, queue } = await open()
    expect(await ctl('config', 'get', 'max_retries')).toMatchObject({
      code: 0,
      stdout: '3\n',
      stderr: 'Not set; value from the default.\n',
    })
    expect(await ctl('config', 'set', 'max_retries', '5')).toMatchObject({
      code: 0,
      stdout: '5\n',
      stderr: 'max_retries is set.\n',
    })
    expect(await ctl('config', 'get', 'max-retries')).toMatchObject({ code: 0, stdout: '5\n', stderr: '' })
    await ctl('config', 'set', 'lease', '10m')
    await ctl('config', 'set', 'backoff', '{"kind":"fixed","baseMs":7}')
    await ctl('config', 'set', 'rate', 'null')
    expect(await queue.settings()).toEqual({
      max_retries: 5,
      leaseMs: 600_000,
      backoff: { kind: 'fixed', baseMs: 7, jitter: 0 },
      rate: null,
    })
    const listed = (await ctl('config', 'list')).stdout
    expect(listed).toMatch(/^max_retries +5 +set /m)
    expect(listed).toMatch(/^backoff_base +2 +default /m)
    expect(listed).toMatch(/^leaseMs +600000 \(10 min\) +set /m)
    expect(listed).toMatch(
      kind === 'server' ? /^maxAttempts +– +the server's environment /m : /^maxAttempts +3 +environment /m,
    )
    expect((await ctl('config', 'unset', 'max_retries', '--json')).json).toEqual([
      { key: 'max_retries', value: 3, source: 'default' },
    ])
    expect(await queue.settings()).not.toHaveProperty('max_retries')
    expect((await ctl('config', 'ls', '--json')).json.map(({ key }) => key).sort()).toEqual(
      Object.keys(queueSettingsSchema.shape).sort(),
    )
  })

  it('reject unknown names and invalid values', async () => {
    const { ctl, queue } = await open()
    expect(await ctl('config', 'get', 'max_retry')).toMatchObject({
      code: 3,
      stdout: '',
      stderr: 'There is no setting max_retry; did you mean max_retries?\n',
    })
    expect(await ctl('config', 'set', 'colour', 'red')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('config list'),
    })
    for (const [key, value] of [
      ['max_retries', '-1'],
      ['max_retries', 'many'],
      ['max_retries', '1000'],
      ['backoff_base', '0.5'],
      ['backoff_base', '101'],
      ['leaseMs', '1ms'],
    ] as const) {
      expect(await ctl('config', 'set', key, value), `${key} ${value}`).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining(`${key} cannot be ${value}: `),
      })
    }
    expect(await queue.settings()).toEqual({})
  })
})

describe('config check', () => {
  it('covers every setting', async () => {
    const names = (await queuectl(['config', 'check', '--json'])).json.map(({ name }) => name)
    expect(new Set(names)).toEqual(new Set(['MILLRACE_URL', ...ENGINE_SETTINGS, ...SERVER_SETTINGS]))
  })

  it('shows each setting with its source, and the selected queue', async () => {
    const envFile = join(await tempFolder(), '.env')
    writeFileSync(envFile, 'PORT=4000\nDB_PATH=/srv/queue.db\n')
    const env = { PORT: '5000', AUTH_TOKEN: 'hunter2' }
    const { code, stdout, stderr } = await queuectl(['config', 'check'], { env, envFile })
    expect([code, stderr]).toEqual([0, 'All settings are valid. queuectl uses /srv/queue.db.\n'])
    expect(stdout).toMatch(/^PORT +5000 +environment /m)
    expect(stdout).toMatch(/^DATABASE_URL +sqlite:\/srv\/queue\.db +default /m)
    expect(stdout).toMatch(/^AUTH_TOKEN +set +environment /m)
    expect(stdout).toMatch(/^DURABILITY +full +default /m)
    expect(stdout).not.toContain('hunter2')
  })

  it.each([
    ['a misspelt name', { DURABILTY: 'full' }, /^DURABILTY is not a setting; did you mean DURABILITY\?\n$/],
    ['a wrong value', { PORT: 'high' }, /^Invalid settings: PORT=high: must be a whole number/],
    ['an unprotected server', { HOST: '0.0.0.0' }, /would give anyone full access/],
  ])('reports %s', async (_, env, message) => {
    const ran = await queuectl(['config', 'check'], { env })
    expect([ran.code, ran.stdout]).toEqual([1, ''])
    expect(ran.stderr).toMatch(message)
  })

  it('does not print passwords', async () => {
    const env = { DATABASE_URL: 'postgres://me:hunter2@db.example/queue' }
    const ran = await queuectl(['config', 'check'], { env })
    expect(ran.stdout).toMatch(/^DATABASE_URL +postgres:\/\/me:…@db\.example\/queue +environment /m)
    expect(`${ran.stdout}${ran.stderr}`).not.toContain('hunter2')
  })

  it('has an invalid environment rejected by every other command as well', async () => {
    const { ctlWith } = await openBackend('file')
    expect(await ctlWith({ env: { DURABILTY: 'full' } }, 'list')).toMatchObject({ code: 2, stdout: '' })
    expect(await ctlWith({ env: { MAX_ATTEMPTS: '0' } }, 'list')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Invalid settings: MAX_ATTEMPTS=0'),
    })
  })
})
