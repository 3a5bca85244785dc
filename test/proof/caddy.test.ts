/** A server behind Caddy at a sub-path: ALLOW_IPS applies. `npm run proof:caddy`. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { vi } from 'vitest'
import { describeServer } from '../support/server.ts'
import { tempFolder } from '../support/temp.ts'
import { provesAllowIps } from './allow-ips.ts'
import { freePort, startProxy } from './proxy-program.ts'

vi.setConfig({ testTimeout: 60_000 })

describeServer('a server behind Caddy at /queue', (startServer) => provesAllowIps(startServer, caddy))

/** The configuration of docs/security.md, on a free port. */
async function caddy(upstream: number): Promise<string> {
  const folder = await tempFolder()
  const url = `http://127.0.0.1:${await freePort()}`
  const file = join(folder, 'Caddyfile')
  await writeFile(
    file,
    `{
  admin off
  auto_https off
  storage file_system ${folder}
}
${url} {
  handle /queue/* {
    reverse_proxy 127.0.0.1:${upstream} {
      flush_interval -1
    }
  }
}
`,
  )
  // Caddy keeps its last configuration in the home folder.
  const env = { HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder }
  return startProxy('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], url, env)
}
