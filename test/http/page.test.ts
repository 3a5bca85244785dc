/** Dashboard files: cached assets, an uncached page, and nothing outside the folder. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { describeServer } from '../support/server.ts'
import { tempFolder } from '../support/temp.ts'

const INDEX = `<!doctype html><meta charset="utf-8" /><base href="/" /><script nonce="__CSP_NONCE__" src="./assets/a.js"></script>`

/** The Accept header of a browser that opens an address. */
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

async function pageFolder(): Promise<string> {
  const folder = join(await tempFolder(), 'client')
  mkdirSync(join(folder, 'assets'), { recursive: true })
  writeFileSync(join(folder, 'index.html'), INDEX)
  writeFileSync(join(folder, 'assets', 'a.js'), 'export {}')
  writeFileSync(join(folder, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  writeFileSync(join(folder, '..', 'secret.txt'), 'secret')
  return folder
}

describeServer('the dashboard page', (startServer) => {
  it('the dashboard page has a new nonce in policy and tags with each response', async () => {
    const server = await startServer({}, { pageFolder: await pageFolder() })
    const nonces = new Set<string>()
    for (const path of ['/', '/', '/index.html']) {
      const response = await fetch(`${server.url}${path}`)
      const policy = response.headers.get('content-security-policy') ?? ''
      const nonce = /script-src 'self' 'nonce-([^']+)'/.exec(policy)?.[1] ?? ''
      expect(await response.text()).toContain(`nonce="${nonce}"`)
      expect(policy).toContain("default-src 'none'")
      expect(policy).not.toContain('unsafe')
      expect(response.headers.get('cache-control')).toBe('no-store')
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
      nonces.add(nonce)
    }
    expect(nonces.size).toBe(3)
  })

  it('the dashboard page contains its base path', async () => {
    const server = await startServer({ BASE_PATH: '/tools/queue/' }, { pageFolder: await pageFolder() })
    expect(server.url).toMatch(/\/tools\/queue$/)
    expect(await (await fetch(`${server.url}/`)).text()).toContain('<base href="/tools/queue/" />')
    expect((await fetch(`${server.url}/assets/a.js`)).status).toBe(200)
    expect((await fetch(`${server.url}/trpc/stats`)).status).toBe(200)
    expect((await fetch(server.url.replace('/tools/queue', '/'))).status).toBe(404)
  })

  it('dashboard files: hashed assets are cached for a year, others are revalidated', async () => {
    const server = await startServer({}, { pageFolder: await pageFolder() })
    const asset = await fetch(`${server.url}/assets/a.js`)
    expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(asset.headers.get('content-type')).toMatch(/javascript/)
    expect(asset.headers.get('x-content-type-options')).toBe('nosniff')
    const icon = await fetch(`${server.url}/favicon.svg`)
    expect([icon.status, icon.headers.get('cache-control')]).toEqual([200, 'no-cache'])
  })

  it('dashboard files are served compressed to browsers that accept it', async () => {
    const folder = await pageFolder()
    const script = 'export const word = "race"\n'.repeat(200)
    writeFileSync(join(folder, 'assets', 'b.js'), script)
    writeFileSync(join(folder, 'assets', 'b.js.gz'), gzipSync(script))
    const server = await startServer({ BASE_PATH: '/queue' }, { pageFolder: folder })
    const get = async (name: string, headers: Record<string, string>) => {
      const response = await fetch(`${server.url}/assets/${name}`, { headers })
      const [encoding, length, vary] = ['content-encoding', 'content-length', 'vary'].map((one) =>
        response.headers.get(one),
      )
      const type = response.headers.get('content-type')?.split(';')[0]
      return { status: response.status, encoding, length: Number(length), vary, type, text: await response.text() }
    }
    const whole = { status: 200, vary: 'accept-encoding', type: 'text/javascript', text: script }
    const packed = await get('b.js', { 'accept-encoding': 'br, gzip' })
    expect(packed).toMatchObject({ ...whole, encoding: 'gzip', length: gzipSync(script).length })
    for (const encodings of ['identity', 'br', 'gzip;q=0']) {
      const plain = await get('b.js', { 'accept-encoding': encodings })
      expect(plain).toMatchObject({ ...whole, encoding: null, length: script.length })
    }
    // There is no copy of this one.
    expect(await get('a.js', { 'accept-encoding': 'gzip' })).toMatchObject({ status: 200, encoding: null, vary: null })
    const refused = await get('b.js', { 'accept-encoding': 'gzip', 'if-match': '"another"' })
    expect(refused).toMatchObject({ status: 412, encoding: null, type: 'application/json' })
    rmSync(join(folder, 'assets', 'b.js.gz'))
    expect(await get('b.js', { accept: BROWSER, 'accept-encoding': 'gzip' })).toMatchObject({
      status: 404,
      encoding: null,
    })
  })

  it.each(['/assets/none.js', '/../secret.txt', '/%2e%2e/secret.txt', '/assets/..%2f..%2fsecret.txt', '/nothing'])(
    'no dashboard file is served at %s',
    async (path) => {
      const server = await startServer({}, { pageFolder: await pageFolder() })
      const response = await fetch(`${server.url}${path}`)
      expect([400, 403, 404]).toContain(response.status)
      expect(await response.text()).not.toBe('secret')
    },
  )

  it('browsers get the dashboard page for unknown paths with 404, other clients get JSON', async () => {
    const server = await startServer({ BASE_PATH: '/queue' }, { pageFolder: await pageFolder() })
    const get = async (path: string, accept: string, method = 'GET') => {
      const response = await fetch(new URL(path, server.url), { method, headers: { accept } })
      const type = response.headers.get('content-type')?.split(';')[0]
      return { status: response.status, type, text: await response.text() }
    }
    const page = { status: 404, type: 'text/html', text: expect.stringContaining('<base href="/queue/" />') }
    const json = { status: 404, type: 'application/json' }
    for (const path of ['/queue/no/such/page', '/queue/assets/none.js']) {
      expect(await get(path, BROWSER)).toEqual(page)
      expect(await get(path, '*/*')).toMatchObject(json)
    }
    expect(await get('/queue/nothing', BROWSER, 'POST')).toMatchObject(json)
    expect(await get('/queue/trpc/nothing', BROWSER)).toMatchObject(json)
    // Outside the base path the error page names the dashboard's path, and the requested path is escaped.
    const outside = await get("/<img src=x>'", BROWSER)
    expect(outside).toMatchObject({ ...page, text: expect.stringContaining('the dashboard at /queue/') })
    expect(outside.text).not.toMatch(/<img|<script|__CSP_NONCE__/)
  })

  it.each([
    [{ range: 'bytes=99999999-' }, 416],
    [{ 'if-match': '"another"' }, 412],
  ])('a dashboard file request with %j gets %i and logs no error', async (headers, status) => {
    const server = await startServer({}, { pageFolder: await pageFolder() })
    expect((await fetch(`${server.url}/favicon.svg`, { headers })).status).toBe(status)
    expect(server.logged.filter(({ level }) => level !== 30)).toEqual([])
  })

  it('the dashboard page loads without a token', async () => {
    const server = await startServer({ AUTH_TOKEN: 'secret' }, { pageFolder: await pageFolder() })
    expect((await fetch(`${server.url}/`)).status).toBe(200)
    expect((await fetch(`${server.url}/trpc/stats`)).status).toBe(401)
  })

  it('the dashboard page has security headers against framing and content sniffing', async () => {
    const server = await startServer({}, { pageFolder: await pageFolder() })
    const { headers } = await fetch(`${server.url}/`)
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    })
    expect(headers.has('x-powered-by')).toBe(false)
  })
})
