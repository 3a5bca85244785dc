/** CORS and HTTPS. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { request as httpsRequest } from 'node:https'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { compiled } from '../support/compiled/compiled.ts'
import { startProgram } from '../support/programs/program.ts'
import { describeServer } from '../support/server.ts'
import { tempFolder } from '../support/temp.ts'
import { CERTIFICATE, KEY, OTHER_KEY } from './certificate.ts'

const APP = 'https://app.example'
const ROOT = 'the-root-token'

describeServer('CORS', (startServer) => {
  const settings = { AUTH_TOKEN: ROOT, CORS_ORIGINS: `${APP},http://localhost:5173` }
  const preflight = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' }

  it('allows the configured origins to call with a token, never with a cookie', async () => {
    const server = await startServer(settings)
    const url = `${server.url}/trpc/enqueue`
    const preflighted = await fetch(url, { method: 'OPTIONS', headers: { origin: APP, ...preflight } })
    expect([preflighted.status, preflighted.headers.get('access-control-allow-origin')]).toEqual([204, APP])
    expect(preflighted.headers.get('access-control-allow-headers')).toContain('authorization')
    expect(preflighted.headers.get('access-control-allow-methods')).toContain('POST')
    expect(preflighted.headers.get('access-control-allow-credentials')).toBeNull()
    const site = { origin: APP, 'sec-fetch-site': 'cross-site', 'content-type': 'application/json' }
    const body = JSON.stringify({ type: 'mail', payload: 1 })
    const bearer = { authorization: `Bearer ${ROOT}` }
    const done = await fetch(url, { method: 'POST', headers: { ...site, ...bearer }, body })
    expect([done.status, done.headers.get('access-control-allow-origin'), done.headers.get('vary')]).toEqual([
      200,
      APP,
      expect.stringMatching(/\borigin\b/),
    ])
    const refused = await fetch(url, { method: 'POST', headers: site, body })
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, APP])
    const rest = await fetch(`${server.url}/api/queue?type=x`, { headers: { ...site, ...bearer, referer: `${APP}/` } })
    expect([rest.status, rest.headers.get('access-control-allow-origin')]).toEqual([204, APP])
  })

  it.each([
    'https://evil.example',
    'http://app.example',
    'https://app.example:8443',
    'https://app.example.evil.example',
    'null',
  ])('rejects the origin %s', async (origin) => {
    const server = await startServer(settings)
    const headers = { origin, authorization: `Bearer ${ROOT}` }
    const preflighted = await fetch(`${server.url}/trpc/facts`, {
      method: 'OPTIONS',
      headers: { ...headers, ...preflight },
    })
    const called = await fetch(`${server.url}/trpc/facts`, { headers })
    expect([preflighted.status, called.status]).toEqual([403, 403])
    for (const response of [preflighted, called]) expect(response.headers.get('access-control-allow-origin')).toBeNull()
  })

  it('is off unless CORS_ORIGINS is set', async () => {
    const server = await startServer({ AUTH_TOKEN: ROOT })
    const preflighted = await fetch(`${server.url}/trpc/facts`, {
      method: 'OPTIONS',
      headers: { origin: APP, ...preflight },
    })
    expect([
      preflighted.status,
      preflighted.headers.get('access-control-allow-origin'),
      preflighted.headers.get('vary'),
    ]).toEqual([403, null, null])
  })
})

describe('HTTPS', () => {
  async function files() {
    const folder = await tempFolder()
    const file = (name: string, text: string) => {
      writeFileSync(join(folder, name), text)
      return join(folder, name)
    }
    return { folder, TLS_CERT: file('cert.pem', CERTIFICATE), TLS_KEY: file('key.pem', KEY), file }
  }

  function send(port: number, method: string, path: string, body = '') {
    const options = { port, host: 'localhost', method, path, ca: CERTIFICATE, agent: false as const }
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${ROOT}` }
    return new Promise<{ status: number | undefined; cookie: string }>((resolve, reject) => {
      const request = httpsRequest({ ...options, headers }, (response) => {
        const cookie = response.headers['set-cookie']?.[0] ?? ''
        response.resume().once('end', () => resolve({ status: response.statusCode, cookie }))
      })
      request.once('error', reject).end(body)
    })
  }

  it('is served with a certificate and its key, with Secure cookies', { timeout: 60_000 }, async () => {
    const { folder, TLS_CERT, TLS_KEY } = await files()
    const program = startProgram(folder, { TLS_CERT, TLS_KEY, AUTH_TOKEN: ROOT })
    const port = await program.listening
    expect(await send(port, 'GET', '/trpc/facts')).toMatchObject({ status: 200 })
    const { status, cookie } = await send(port, 'POST', '/session', JSON.stringify({ token: ROOT }))
    expect([status, cookie]).toEqual([200, expect.stringMatching(/; Path=\/; HttpOnly; SameSite=Strict; Secure$/)])
    await expect(fetch(`http://127.0.0.1:${port}/health`)).rejects.toThrow()
    expect(program.stderr()).toContain(`Dashboard   https://127.0.0.1:${port}/`)
    program.child.kill('SIGTERM')
    expect(await program.ended).toBe(0)
    expect(`${program.stdout()}${program.stderr()}`).not.toMatch(/PRIVATE KEY|the-root-token/)
  })

  it('is used by clients that trust the certificate, and by no others', { timeout: 60_000 }, async () => {
    const { folder, TLS_CERT, TLS_KEY } = await files()
    const program = startProgram(folder, { TLS_CERT, TLS_KEY, AUTH_TOKEN: ROOT })
    const env = {
      PATH: process.env.PATH,
      MILLRACE_URL: `https://localhost:${await program.listening}`,
      AUTH_TOKEN: ROOT,
    }
    const run = (settings: Readonly<Record<string, string>>) =>
      spawnSync(process.execPath, [compiled('server/cli/main'), 'status'], {
        env: { ...env, ...settings },
        encoding: 'utf8',
      })
    expect(run({ NODE_EXTRA_CA_CERTS: TLS_CERT })).toMatchObject({ status: 0, stderr: '' })
    expect(run({})).toMatchObject({ stdout: '', stderr: expect.stringContaining('self-signed certificate') })
    program.child.kill('SIGTERM')
    expect(await program.ended).toBe(0)
  })

  it('does not start with the key of another certificate, and prints one line', { timeout: 60_000 }, async () => {
    const { folder, TLS_CERT, file } = await files()
    const program = startProgram(folder, { TLS_CERT, TLS_KEY: file('other.pem', OTHER_KEY) })
    expect([await program.ended, program.stdout()]).toEqual([2, ''])
    expect(program.stderr()).toMatch(
      /^TLS_CERT=.* and TLS_KEY=.* do not match; give a certificate and its own key.*\n$/,
    )
  })
})
