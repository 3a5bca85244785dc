/** A server behind nginx at a sub-path: page, API, REST and events work. `npm run proof:nginx`. */
import { spawnSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { shareDashboard } from '../browser/support/browser.ts'
import { describeServer } from '../support/server.ts'
import { tempFolder } from '../support/temp.ts'
import { provesAllowIps } from './allow-ips.ts'
import { freePort, startProxy } from './proxy-program.ts'

vi.setConfig({ testTimeout: 60_000 })

const TOKEN = 'secret-of-the-proof'
const BEARER = { authorization: `Bearer ${TOKEN}` }
const dashboard = shareDashboard()

describeServer('a server behind nginx at /queue', (startServer) => {
  it('shows a job that is posted through nginx live in the page and in an event stream', async () => {
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
    expect(await receives(stream, id)).toBe(true)
    expect(problems).toEqual([])
  })

  provesAllowIps(startServer, nginx)
})

async function receives({ body }: Response, expected: string): Promise<boolean> {
  let text = ''
  for await (const chunk of body ?? []) {
    text += Buffer.from(chunk).toString()
    if (text.includes(expected)) return true
  }
  return false
}

/** The configuration of docs/security.md, on a free port. */
async function nginx(upstream: number): Promise<string> {
  const folder = await tempFolder()
  const port = await freePort()
  await mkdir(join(folder, 'logs'))
  const file = join(folder, 'nginx.conf')
  const args = ['-p', folder, '-c', file]
  const configuration = (limits: string) =>
    `pid ${folder}/pid; daemon off; error_log stderr warn; worker_processes 1;
events { worker_connections 64; }
http {
  access_log off; ${limits}
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
}`
  // Newer versions reject more than 1,000 headers by default; older ones have neither the limit nor the setting.
  await writeFile(file, configuration('max_headers 4000;'))
  if (spawnSync('nginx', ['-t', ...args]).status !== 0) await writeFile(file, configuration(''))
  return startProxy('nginx', args, `http://127.0.0.1:${port}`)
}
