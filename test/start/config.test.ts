/** Settings from environment variables: defaults, values and errors. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ConfigError, ENGINE_SETTINGS, readConfig } from '../../server/base/config/config.ts'
import { MILLRACE_URL } from '../../server/base/config/environment.ts'
import { readServerConfig, refuseUnprotected, SERVER_SETTINGS } from '../../server/base/config/server-config.ts'
import { VERSION } from '../../server/base/version.ts'
import { DAY, MINUTE } from '../../shared/limits.ts'
import { CERTIFICATE, KEY, OTHER_KEY } from '../security/certificate.ts'
import { tempFolder } from '../support/temp.ts'

function refusalOf(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  return 'accepted'
}

describe('engine settings', () => {
  it('engine settings have the defaults of .env.example', () => {
    expect(readConfig({})).toEqual({
      url: 'sqlite:./data/queue.db',
      durability: 'full',
      maxDatabaseBytes: null,
      maxPayloadBytes: 1_048_576,
      defaults: {
        maxAttempts: 3,
        retentionMs: 30 * DAY,
        leaseMs: 30 * MINUTE,
        crashBudget: 3,
        backoff: { kind: 'exponential', baseMs: 10_000, factor: 4, capMs: 21_600_000, capFrom: 6, jitter: 0.2 },
      },
    })
  })

  it('engine settings are read, and an empty variable counts as unset', () => {
    const env = {
      DB_PATH: '/data/q.db',
      DURABILITY: 'normal',
      MAX_ATTEMPTS: '7',
      CLEANUP_AFTER_DAYS: '0.5',
      BACKOFF_KIND: '',
    }
    expect(readConfig({ ...env, JOB_TIMEOUT_MINUTES: '1' })).toMatchObject({
      url: 'sqlite:/data/q.db',
      durability: 'normal',
      defaults: { maxAttempts: 7, retentionMs: DAY / 2, leaseMs: MINUTE, backoff: { kind: 'exponential' } },
    })
    expect(readConfig({ DB_PATH: 'x', DATABASE_URL: 'sqlite:y' }).url).toBe('sqlite:y')
    expect(readConfig({ BACKOFF_KIND: 'linear' }).defaults.backoff).toMatchObject({ kind: 'linear', baseMs: 30_000 })
    expect(readConfig({ BACKOFF_KIND: 'fixed', BACKOFF_BASE_MS: '5' }).defaults.backoff).toMatchObject({ baseMs: 5 })
  })

  it('all invalid settings are listed in one message, with their rules', () => {
    const message = refusalOf(() => readConfig({ MAX_ATTEMPTS: 'many', DURABILITY: 'medium', BACKOFF_JITTER: '2' }))
    expect(message).toBe(
      'Invalid settings: DURABILITY=medium: must be full or normal; MAX_ATTEMPTS=many: must be a whole number from 1 to 1000; ' +
        'BACKOFF_JITTER=2: must be a number from 0 to 1. See .env.example for all settings and their defaults.',
    )
  })
})

describe('server settings', () => {
  it('server settings have safe defaults', () => {
    expect(readServerConfig({})).toEqual({
      host: '127.0.0.1',
      port: 3_000,
      authToken: null,
      allowIps: null,
      allowedHosts: [],
      corsOrigins: [],
      trustedProxies: null,
      commandsWithoutToken: false,
      tls: null,
      basePath: '',
      maxBodyBytes: 8_388_608,
      backupFolder: null,
      getLimitDefault: 1,
      getLimitMax: 100,
      directTrpc: true,
      logLevel: 'info',
    })
  })

  it.each([
    [
      { HOST: '::1', PORT: '8080' },
      { host: '::1', port: 8_080 },
    ],
    [{ LISTEN_ADDR: '127.0.0.1:8080' }, { host: '127.0.0.1', port: 8_080 }],
    [{ LISTEN_ADDR: '[::1]:8080' }, { host: '::1', port: 8_080 }],
    [{ LISTEN_ADDR: 'localhost:0' }, { host: 'localhost', port: 0 }],
    [
      { LISTEN_ADDR: ':8080', AUTH_TOKEN: 's' },
      { host: '', port: 8_080 },
    ],
    [{ BASE_PATH: '/' }, { basePath: '' }],
    [{ BASE_PATH: '/tools/queue/' }, { basePath: '/tools/queue' }],
    [
      { CORS_ORIGINS: 'https://app.example, http://localhost:5173' },
      { corsOrigins: ['https://app.example', 'http://localhost:5173'] },
    ],
    [{ COMMANDS_WITHOUT_TOKEN: 'allow' }, { commandsWithoutToken: true }],
    [{ ALLOWED_HOSTS: 'Queue.example, other ,' }, { allowedHosts: ['queue.example', 'other'] }],
    [{ ALLOWED_HOSTS: 'q.example:8443,[fd00::1]:3000' }, { allowedHosts: ['q.example:8443', '[fd00::1]:3000'] }],
  ])('server settings %j are accepted', (env, expected) => {
    expect(readServerConfig(env)).toMatchObject(expected)
  })

  it.each([
    [{ LISTEN_ADDR: '8080' }, /LISTEN_ADDR=8080: must look like/],
    [{ LISTEN_ADDR: 'localhost:99999' }, /at most 65535/],
    [{ LISTEN_ADDR: 'localhost:80', PORT: '80' }, /LISTEN_ADDR is set together with HOST or PORT/],
    [{ COMMANDS_WITHOUT_TOKEN: 'true' }, /COMMANDS_WITHOUT_TOKEN=true: must be refuse or allow/],
    [{ PORT: '70000' }, /PORT=70000: must be a whole number from 0 to 65535/],
    [{ PORT: '0x10' }, /PORT=0x10: must be a whole number/],
    [{ PORT: '3000a' }, /PORT=3000a: must be a whole number/],
    [{ ALLOW_IPS: '10.0.0.0/33' }, /10\.0\.0\.0\/33 must look like/],
    [{ ALLOW_IPS: '10.0.0.1,localhost' }, /localhost must look like/],
    [{ ALLOW_IPS: '10.0.0.0/' }, /must look like/],
    [{ BASE_PATH: 'queue' }, /BASE_PATH=queue: must look like \/queue/],
    [{ BASE_PATH: '/a"b' }, /must look like/],
    [{ TRUSTED_PROXIES: 'proxy.internal' }, /TRUSTED_PROXIES=proxy\.internal: proxy\.internal must look like/],
    [{ CORS_ORIGINS: '*' }, /CORS_ORIGINS=\*: must be origins like/],
    [{ CORS_ORIGINS: 'https://app.example/' }, /must be origins like/],
    [{ CORS_ORIGINS: 'https://app.example:443' }, /must be origins like/],
    [{ CORS_ORIGINS: 'null' }, /must be origins like/],
    [{ TLS_CERT: '/nowhere/cert.pem' }, /TLS_CERT is set without TLS_KEY/],
    [{ TLS_KEY: '/nowhere/key.pem' }, /TLS_KEY is set without TLS_CERT/],
    [{ TLS_CERT: '/nowhere/c.pem', TLS_KEY: '/nowhere/k.pem' }, /Cannot read TLS_CERT=\/nowhere\/c\.pem \(ENOENT\)/],
    [{ LOG_LEVEL: 'loud' }, /LOG_LEVEL=loud: must be silent, fatal/],
  ])('server settings %j are refused', (env, message) => {
    expect(refusalOf(() => readServerConfig(env))).toMatch(message)
  })

  it.each([
    [{ HOST: '0.0.0.0' }, /0\.0\.0\.0 without authentication would give anyone full access\. Set AUTH_TOKEN/],
    [{ HOST: '::' }, /would give anyone full access/],
    [{ HOST: '192.168.1.5' }, /would give anyone full access/],
    [{ HOST: 'queue.internal' }, /would give anyone full access/],
    [{ LISTEN_ADDR: ':8080' }, /every address without authentication would give anyone full access/],
    [{ HOST: '0.0.0.0', ALLOW_IPS: ',' }, /would give anyone full access/],
  ])('server settings %j are refused, unless the database has tokens', (env, message) => {
    const config = readServerConfig(env)
    expect(refusalOf(() => refuseUnprotected(config, false))).toMatch(message)
    expect(refuseUnprotected(config, true)).toBeUndefined()
  })

  it('TLS_CERT and TLS_KEY must match, and an error does not print them', async () => {
    const folder = await tempFolder()
    const file = (name: string, text: string) => {
      writeFileSync(join(folder, name), text)
      return join(folder, name)
    }
    const TLS_CERT = file('cert.pem', CERTIFICATE)
    const TLS_KEY = file('key.pem', KEY)
    expect(readServerConfig({ TLS_CERT, TLS_KEY }).tls).toEqual({ cert: CERTIFICATE, key: KEY })
    for (const wrong of [file('other.pem', OTHER_KEY), file('no.pem', 'no key'), TLS_CERT]) {
      const message = refusalOf(() => readServerConfig({ TLS_CERT, TLS_KEY: wrong }))
      expect(message).toMatch(/^TLS_CERT=.* and TLS_KEY=.* do not match; give a certificate and its own key/)
      expect(message).not.toMatch(/BEGIN|no key$|OpenSSL|error:/)
    }
  })

  it('an error does not print an invalid AUTH_TOKEN', () => {
    const message = refusalOf(() => readServerConfig({ AUTH_TOKEN: 'two words' }))
    expect(message).toMatch(/AUTH_TOKEN: must be printable/)
    expect(message).not.toContain('two words')
  })

  it.each([{ AUTH_TOKEN: 's' }, { ALLOW_IPS: '10.0.0.0/8' }])('a server may listen on every address with %j', (env) => {
    expect(refuseUnprotected(readServerConfig({ HOST: '0.0.0.0', ...env }), false)).toBeUndefined()
  })
})

describe('documents', () => {
  it('.env.example lists exactly the existing settings', () => {
    const names = [...readFileSync('.env.example', 'utf8').matchAll(/^# ([A-Z_]+)=/gm)].map(([, name]) => name)
    expect(names.toSorted()).toEqual([...ENGINE_SETTINGS, ...SERVER_SETTINGS, MILLRACE_URL].toSorted())
  })

  it('package.json and VERSION are equal', () => {
    expect(JSON.parse(readFileSync('package.json', 'utf8'))).toMatchObject({ version: VERSION })
  })
})
