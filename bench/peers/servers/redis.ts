/** A temporary Redis with the given persistence. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { findProgram, startProgram, versionOfProgram } from './program.ts'
import type { Place, Started } from './started.ts'

export type Persistence = 'always' | 'default'

/** `always`: every write is fsynced before it is acknowledged. `default`: what redis-server does without a configuration. */
export async function startRedis({ folder }: Place, persistence: Persistence): Promise<Started> {
  const program = findProgram('redis-server')
  const aof = persistence === 'always' ? ['--appendonly', 'yes', '--appendfsync', 'always', '--save', ''] : []
  const { port, pid, stop } = await startProgram(program, folder, (free) => [
    ...['--port', String(free), '--bind', '127.0.0.1', '--dir', folder, '--loglevel', 'warning'],
    // As BullMQ requires.
    ...['--maxmemory-policy', 'noeviction', '--logfile', 'redis.log'],
    ...aof,
  ])
  try {
    const version = versionOfProgram(program, '--version', /v=(\S+)/)
    const settings = await readSettings(port)
    const isAlways = settings.appendonly === 'yes' && settings.appendfsync === 'always'
    if (isAlways !== (persistence === 'always')) throw new Error(`Redis runs with ${JSON.stringify(settings)}.`)
    const facts = isAlways ? 'appendonly yes, appendfsync always' : `appendonly no, save "${settings.save}"`
    return { address: `redis://127.0.0.1:${port}`, server: `Redis ${version}; ${facts}`, process: pid, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** As the running server has them. */
async function readSettings(port: number): Promise<Readonly<Record<string, string>>> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8')
  try {
    await once(socket, 'connect')
    const settings: Record<string, string> = {}
    for (const name of ['appendonly', 'appendfsync', 'save']) {
      socket.write(`CONFIG GET ${name}\r\n`)
      // An array of two strings, each after a line with its length.
      const [reply] = (await once(socket, 'data')) as [string]
      settings[name] = reply.split('\r\n')[4] ?? ''
    }
    return settings
  } finally {
    socket.destroy()
  }
}
