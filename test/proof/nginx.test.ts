/** Behind a real nginx, on a path of its own: page, API, REST and events work as they do without it. `npm run proof:nginx`. */
import { spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { shareDashboard } from '../browser/browser.ts'
import { describeServer } from '../support/server.ts'
import { tempFolder } from '../support/temp.ts'

vi.setConfig({ testTimeout: 60_000 })

const TOKEN = 'secret-of-the-proof'
const BEARER = { authorization: `Bearer ${TOKEN}` }
const dashboard = shareDashboard()

describeServer('behind nginx at /queue', (startServer) => {
  it('shows a job that comes in through it, live, to page and program', async () => {
    const server = await startServer(
      { BASE_PATH: '/queue', AUTH_TOKEN: TOKEN, ALLOWED_HOSTS: '127.0.0.1', TRUSTED_PROXIES: '127.0.0.1' },
      { pageFolder: dashboard.folder },
    )
    const url = `${await nginx(server.address.port)}/queue`
    const { page, problems } = await dashboard.open(`${url}/`)
    await page.fill('#token', TOKEN)
    await page.keyboard.press('Enter')
    await page.waitForSelector('[data-testid=connection-state][data-connection=live]')
    const gone = new AbortController()
    onTestFinished(() => gone.abort())
    const stream = await fetch(`${url}/trpc/events`, { headers: BEARER, signal: gone.signal })

    const headers = { ...BEARER, 'content-type': 'application/json' }
    const body = '{"type":"resize","data":{"width":7}}'
    const posted = await fetch(`${url}/api/queue`, { method: 'POST', headers, body })
    expect(posted.status).toBe(201)
    const id = /"id":"([^"]+)"/.exec(await posted.text())?.[1] ?? ''
    await page.waitForSelector(`[data-job-id="${id}"]`)
    expect(await heard(stream, id)).toBe(true)
    expect(problems).toEqual([])
  })
})

async function heard({ body }: Response, words: string): Promise<boolean> {
  let text = ''
  for await (const chunk of body ?? []) {
    text += Buffer.from(chunk).toString()
    if (text.includes(words)) return true
  }
  return false
}

/** As docs/server.md says, with a port of its own. */
async function nginx(upstream: number): Promise<string> {
  const folder = await tempFolder()
  const port = await freePort()
  await mkdir(join(folder, 'logs'))
  await writeFile(
    join(folder, 'nginx.conf'),
    `pid ${folder}/pid; daemon off; error_log stderr warn; worker_processes 1;
events { worker_connections 64; }
http {
  access_log off;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  server {
    listen 127.0.0.1:${port};
    location /queue/ {
      proxy_pass http://127.0.0.1:${upstream};
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_buffering off;
      proxy_read_timeout 1h;
    }
  }
}`,
  )
  const child = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (chunk) => {
    said += chunk
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  child.once('error', () => {})
  onTestFinished(async () => {
    child.kill('SIGQUIT')
    child.kill('SIGTERM')
    await ended
  })
  const url = `http://127.0.0.1:${port}`
  await vi.waitFor(
    async () => {
      if (child.exitCode !== null || child.pid === undefined) throw new Error(`nginx did not start: ${said}`)
      await fetch(url)
    },
    { timeout: 10_000 },
  )
  return url
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (typeof address !== 'object' || address === null) throw new Error('no port')
  return address.port
}
