/** Behind a real Caddy, on a path of its own: ALLOW_IPS holds, and calls are answered. `npm run proof:caddy`. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { vi } from 'vitest'
import { describeServer } from '../support/server.ts'
import { tempFolder } from '../support/temp.ts'
import { provesAllowIps } from './allow-ips.ts'
import { freePort, startProxy } from './proxy-program.ts'

vi.setConfig({ testTimeout: 60_000 })

describeServer('behind Caddy at /queue', (startServer) => provesAllowIps(startServer, caddy))

/** As docs/security.md says, with a port of its own. */
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
